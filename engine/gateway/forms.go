package gateway

import (
	"slices"
	"strings"
)

// What a client may tell a provider is written here, a table for each protocol. What is in
// no table stays here: it may have another model answer, ask for several answers, have the
// provider fetch, search the web or run programs, or make a token dearer, and providers
// learn new ones each month.
//
// A line is an object: its name, the kinds of it that the line is for (its field type; an
// object with kinds is named alone where it has no type), and its fields. Each field is
//
//	name          a text, a number, a truth value, or a list of them
//	name*         any JSON, which the model is shown or which is a setting
//	name=object   an object of that name, or a list of such; a text is a text
//	name={object} one object of that name and nothing else
//	name=object?  as name=object, and what does not fit is left out
//	name=rule     what a rule in [rules] says
//
// Fields that are not in their line are left out. Objects of no known kind, and what a
// rule refuses, refuse the request.
const (
	chatForms = `
request: model messages=message stream=flag stream_options={options} max_tokens max_completion_tokens temperature top_p top_k min_p top_a typical_p
request: presence_penalty frequency_penalty repetition_penalty seed stop logprobs top_logprobs logit_bias* response_format* user safety_identifier metadata*
request: tools=tool? tool_choice=choice? parallel_tool_calls functions=function function_call=named store=store
request: prompt_cache_key prompt_cache_retention cache_control={cache} verbosity usage={usage}
request: reasoning_effort reasoning={thoughts} include_reasoning reasoning_format reasoning_split thinking={thoughts} enable_thinking thinking_budget chat_template_kwargs={template}
options: include_usage include_obfuscation
usage: include
cache: type
thoughts: type enabled effort summary exclude display clear_thinking budget_tokens max_tokens
template: enable_thinking thinking thinking_budget reasoning_effort preserve_thinking clear_thinking
message: role name content=part refusal tool_calls=call tool_call_id function_call=called reasoning reasoning_content reasoning_details* prefix partial cache_control={cache}
call: id index function=called custom=called extra_content* type
called: name arguments input
part: text
part text: text cache_control={cache}
part refusal: refusal
part thinking: thinking signature
part image_url: image_url=picture cache_control={cache}
part file: file={upload} cache_control={cache}
upload: filename file_data=file file_id=stored
tool: function={function}
tool function: function={function} cache_control={cache}
tool custom: custom={custom}
function: name description parameters* strict cache_control={cache}
custom: name description format*
choice function custom: function={named} custom={named}
choice auto none allowed_tools: allowed_tools*
named: name
`
	responsesForms = `
request: model input=item instructions=item stream=flag stream_options={options} max_output_tokens temperature top_p top_logprobs
request: tools=tool? tool_choice=choice? parallel_tool_calls reasoning={thoughts} text={text} store=store include truncation user safety_identifier
request: metadata* client_metadata* prompt_cache_key prompt_cache_retention previous_response_id=stored conversation=stored
options: include_usage include_obfuscation
thoughts: effort summary generate_summary max_tokens
text: format* verbosity
item: role content=part status phase id=own
item message: role content=part status phase id=own
item item_reference: id=stored
item reasoning: summary=part content=part encrypted_content status id=own
item function_call custom_tool_call: call_id name namespace arguments input status id=own
item function_call_output custom_tool_call_output: call_id name output=part status id=own
item local_shell_call shell_call computer_call apply_patch_call: call_id action* actions* operation* pending_safety_checks* status id=own
item local_shell_call_output shell_call_output apply_patch_call_output: call_id output* max_output_length status id=own
item computer_call_output: call_id output=part acknowledged_safety_checks* status id=own
item tool_search_call: call_id execution arguments* status id=own
item tool_search_output: call_id execution status tools=tool? id=own
item additional_tools: role tools=tool? id=own
item compaction compaction_summary: encrypted_content id=own
part: text
part text input_text output_text summary_text reasoning_text: text annotations* logprobs*
part refusal: refusal
part input_image computer_screenshot: image_url=picture file_id=stored detail
part input_file: filename file_data=file file_id=stored file_url=address
tool function: name description parameters* strict defer_loading
tool custom: name description format* defer_loading
tool namespace: name description tools=tool?
tool local_shell apply_patch computer:
tool computer_use_preview: display_width display_height environment
tool tool_search: execution description parameters*
tool shell: environment=machine
machine local: skills*
choice function custom local_shell shell apply_patch: name
choice auto none allowed_tools: mode tools*
`
	anthropicForms = `
request: model messages=message system=block max_tokens stream=flag temperature top_k top_p stop_sequences tools=tool? tool_choice=choice?
request: thinking={thoughts} output_config={output} output_format* metadata={metadata} context_management={context} cache_control={cache}
thoughts: type budget_tokens display
output: effort format*
metadata: user_id
context: edits=edit?
edit clear_*: keep* trigger* clear_at_least* exclude_tools clear_tool_inputs
cache: type scope
message: role content=block
block: text
block text: text citations* cache_control={cache}
block image: source=source cache_control={cache}
block document: source=source title context citations* cache_control={cache}
block thinking: thinking signature
block redacted_thinking: data
block tool_use: id name input* cache_control={cache}
block tool_result: tool_use_id content=block is_error cache_control={cache}
block tool_reference: tool_name cache_control={cache}
block container_upload: file_id=stored
source base64: media_type=media data=blob
source text: media_type data
source content: content=block
source file: file_id=stored
tool: name description input_schema* input_examples* strict eager_input_streaming defer_loading cache_control={cache}
tool custom: name description input_schema* input_examples* strict eager_input_streaming defer_loading cache_control={cache}
tool bash_* text_editor_* computer_* memory_*: name max_characters display_width_px display_height_px display_number enable_zoom cache_control={cache}
choice auto any none tool: name disable_parallel_tool_use
`
	geminiForms = `
request: contents=content systemInstruction=content tools=tool? toolConfig={calling} safetySettings* generationConfig={generation} labels* cachedContent=stored
content: role parts=part
part: text thought thoughtSignature inlineData={inline} functionCall={call} functionResponse={response} fileData=address mediaResolution
inline: mimeType=media data=blob displayName
call: id name args*
response: id name response* willContinue scheduling parts=part
tool: functionDeclarations*
calling: functionCallingConfig={mode}
mode: mode allowedFunctionNames
generation: temperature topP topK maxOutputTokens stopSequences seed presencePenalty frequencyPenalty responseMimeType responseSchema* responseJsonSchema*
generation: _responseJsonSchema* responseLogprobs logprobs mediaResolution thinkingConfig={thoughts}
thoughts: includeThoughts thinkingBudget thinkingLevel
`
)

// The parts of the header Anthropic-Beta that are passed on, by how they begin, and those
// that only go where money has no limit: a window of a million tokens, whose tokens are
// dearer, and files that are stored.
var (
	betas = []string{
		"claude-code-", "interleaved-thinking-", "adaptive-thinking-", "redact-thinking-", "effort-", "fine-grained-tool-streaming-", "token-efficient-tools-",
		"structured-outputs-", "output-128k-", "context-management-", "prompt-caching-", "token-counting-", "tool-examples-", "advanced-tool-use-", "computer-use-",
	}
	betasUnlimited = []string{"context-1m-", "files-api-"}
)

// forms are the objects of a protocol by their names and kinds.
type forms map[string][]field

// field is what is known of a field.
type field struct {
	name string
	of   string // an object or a rule; "" = a plain value
	data bool   // any JSON
	one  bool   // one object, no list and no text
	lax  bool   // what does not fit is left out
}

// formsOf reads the table of a protocol.
func formsOf(a API) forms {
	table := map[API]string{Chat: chatForms, Responses: responsesForms, Anthropic: anthropicForms, Gemini: geminiForms}[a]
	all := forms{}
	for line := range strings.Lines(table) {
		names, list, there := strings.Cut(line, ":")
		if !there {
			continue
		}
		words := strings.Fields(names)
		keys := words[:1]
		if len(words) > 1 {
			keys = nil
			for _, kind := range words[1:] {
				keys = append(keys, words[0]+" "+kind)
			}
		}
		for _, key := range keys {
			all[key] = append(all[key], fieldsOf(list)...)
			if all[key] == nil {
				all[key] = []field{}
			}
		}
	}
	return all
}

func fieldsOf(list string) []field {
	var out []field
	for word := range strings.FieldsSeq(list) {
		var f field
		f.name, f.of, _ = strings.Cut(word, "=")
		f.name, f.data = strings.CutSuffix(f.name, "*")
		f.of, f.lax = strings.CutSuffix(f.of, "?")
		if inner, one := strings.CutPrefix(f.of, "{"); one {
			f.of, f.one = strings.TrimSuffix(inner, "}"), true
		}
		out = append(out, f)
	}
	return out
}

// of is the form of an object of a kind; false: there is none.
func (f forms) of(object, kind string) ([]field, bool) {
	if kind == "" {
		fields, known := f[object]
		return fields, known
	}
	if fields, known := f[object+" "+kind]; known {
		return fields, true
	}
	for key, fields := range f {
		if begin, glob := strings.CutSuffix(key, "*"); glob && strings.HasPrefix(object+" "+kind, begin) {
			return fields, true
		}
	}
	return nil, false
}

// typed reports whether objects of a name have kinds.
func (f forms) typed(object string) bool {
	for key := range f {
		if strings.HasPrefix(key, object+" ") {
			return true
		}
	}
	return false
}

// find is the field of a name. Gemini takes maxOutputTokens as max_output_tokens as well.
func (a API) find(fields []field, name string) (field, bool) {
	at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if at < 0 && a == Gemini && strings.Contains(name, "_") {
		at = slices.IndexFunc(fields, func(f field) bool {
			return strings.EqualFold(f.name, strings.ReplaceAll(name, "_", "")) && !strings.Contains(f.name, "_")
		})
	}
	if at < 0 {
		return field{}, false
	}
	return fields[at], true
}
