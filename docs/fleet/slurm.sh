#!/bin/sh
# Workers of a fleet as an array job of Slurm:
#
#   sbatch --export=ALL,FLEET=nats://hub:4222 docs/fleet/slurm.sh
#
# Each task of the array joins under its own name with as many slots as half of
# its cores. Slurm's SIGTERM, ten minutes before the end, has it finish what runs.
#SBATCH --job-name=atoll-worker
#SBATCH --array=0-31
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@600
set -eu

name="slurm-${SLURM_ARRAY_JOB_ID:-0}-${SLURM_ARRAY_TASK_ID:-0}"
state="${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/$name"
slots=$((${SLURM_CPUS_PER_TASK:-2} / 2))
[ "$slots" -ge 1 ] || slots=1

exec atoll worker --join "$FLEET" --name "$name" --slots "$slots" --state "$state"
