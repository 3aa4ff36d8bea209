"""Puts parcels into vans."""


def load(parcels, capacity):
    """Fills one van after the other in the order of the parcels."""
    vans, current, weight = [], [], 0
    for i, parcel in enumerate(parcels):
        if weight + parcel > capacity:
            vans.append(current)
            current, weight = [], 0
        current.append(i)
        weight += parcel
    vans.append(current)
    return vans
