import { setTimeout as sleep } from 'node:timers/promises';
import { type InputRequests, inputRequired, type ServerContext, type Tool } from '@modelcontextprotocol/server';

/** The tools that the kit's scenarios call, by the names that they have there. A tool that asks does so in either era. */

type Handler = (context: ServerContext) => unknown;

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const audio = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
};
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

const ask = (message: string, properties: object) => {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) } as Form;
  return inputRequired.elicit({ message, requestedSchema });
};
const askName = ask('What is your name?', { name: { type: 'string' } });
const askColor = ask('Step 2: What is your favorite color?', { color: { type: 'string' } });
const confirm = ask('Please confirm', { ok: { type: 'boolean' } });

/** Asks until there is an answer to each question, then shows the answers. */
const asking =
  (inputRequests: InputRequests, requestState?: string): Handler =>
  ({ mcpReq: { inputResponses } }) =>
    Object.keys(inputRequests).every((key) => inputResponses?.[key] !== undefined)
      ? text(`state-ok ${JSON.stringify(inputResponses)}`)
      : inputRequired({ inputRequests, ...(requestState !== undefined && { requestState }) });

const titled = (values: readonly string[]) => values.map((value) => ({ const: value, title: `The ${value}` }));
const values = ['value1', 'value2', 'value3'];
const options = ['option1', 'option2', 'option3'];

/** Milliseconds between two reports: more than the gateway's pace, at which reports are joined. */
const pause = 150;

const log: Handler = async ({ mcpReq }) => {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', words);
  }
  return text('Messages were logged.');
};

/** Called when the list of tools has changed. */
export const onToolsChanged = new Set<() => void>();
let changes = 0;

const handlers: Readonly<Record<string, Handler>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [audio] }),
  test_embedded_resource: () => ({ content: [resource('test://embedded', 'text/plain', 'An embedded resource.')] }),
  test_multiple_content_types: () => ({
    content: [
      ...text('Multiple content types test:').content,
      image,
      resource('test://mixed', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  test_tool_with_logging: log,
  test_logging_tool: log,
  async test_tool_with_progress({ mcpReq: { _meta, notify } }) {
    const progressToken = _meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100]) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await sleep(pause);
    }
    return text('Progress was reported.');
  },
  test_elicitation: asking({
    user: ask('Please answer', { username: { type: 'string' }, email: { type: 'string' } }),
  }),
  test_elicitation_sep1034_defaults: asking({
    user: ask('Please review', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  }),
  test_elicitation_sep1330_enums: asking({
    user: ask('Please choose', {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled(values) },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled(values) } },
    }),
  }),
  test_streaming_elicitation: asking({ user_name: askName }),
  test_input_required_result_elicitation: asking({ user_name: askName }),
  test_input_required_result_capabilities: asking({ user_name: askName }),
  test_input_required_result_request_state: asking({ confirm }, 'opaque'),
  test_input_required_result_tampered_state: asking({ confirm }, 'opaque'),
  test_input_required_result_multi_round({ mcpReq: { inputResponses, requestState } }) {
    if (requestState() === 'second' && inputResponses?.step2) return text('Hello!');
    return inputResponses?.step1
      ? inputRequired({ inputRequests: { step2: askColor }, requestState: 'second' })
      : inputRequired({ inputRequests: { step1: askName }, requestState: 'first' });
  },
  test_trigger_tool_change: () => {
    changes += 1;
    for (const each of onToolsChanged) each();
    return text('The list of tools has changed.');
  },
  test_headers: () => text('ok'),
  json_schema_2020_12_tool: () => text('ok'),
};

/** The schema of the scenario `json-schema-2020-12`. */
const schema2020: Tool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const schemas: Readonly<Record<string, Tool['inputSchema']>> = {
  test_headers: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  json_schema_2020_12_tool: schema2020,
};

/** The tools as they are now. */
export const listTools = (): Tool[] =>
  Object.keys(handlers).map((name) => ({
    name,
    description: `The tool ${name} of the scenarios, which have changed ${changes} times`,
    inputSchema: schemas[name] ?? { type: 'object' },
  }));

export const callTool = (name: string, context: ServerContext): unknown => handlers[name]?.(context);
