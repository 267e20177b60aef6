import { encodeRequest } from '../../dialects/kernel/calls.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { versions } from '../../gen/versions.ts';
import type { Callable } from './callables.ts';
import { type HttpText, headerOf } from './http-text.ts';
import { contextOf } from './request.ts';

/** A call as a command, or as code. Credentials are read from the environment. */

export interface Snippet {
  readonly id: 'curl' | 'grpcurl' | 'command' | 'javascript' | 'python';
  readonly title: string;
  /** Absent where there is no such way. */
  readonly code?: string;
  /** What to install, or why there is no code. */
  readonly note?: string;
}

export interface SnippetOptions {
  readonly callable: Callable;
  /** As it is sent. */
  readonly http: HttpText;
  /** In v1. */
  readonly request: Record<string, unknown>;
  readonly agent: string;
  /** URL of the gateway's mount point, without a slash at the end. */
  readonly gateway: string;
  /** The header of the session's credential. Absent: calls need none. */
  readonly credential?: { readonly header: string; readonly kind: 'apiKey' | 'bearer' };
  readonly dialects: Dialects;
}

/** Every way to make a call. */
export const snippetsOf = (options: SnippetOptions): Snippet[] => [
  curl(options),
  grpcurl(options),
  command(options),
  javascript(options),
  python(options),
];

/** A text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A header with the credential, which a shell takes from the environment. */
const credentialOf = ({ credential }: SnippetOptions): string | undefined =>
  credential &&
  (credential.kind === 'bearer' ? '"Authorization: Bearer $A2A_BEARER"' : `"${credential.header}: $A2A_API_KEY"`);

const lines = (words: readonly string[]): string => words.join(' \\\n  ');

function curl(options: SnippetOptions): Snippet {
  const { http, gateway, callable } = options;
  const { verb, path, headers, body } = http;
  const credential = credentialOf(options);
  const words = [
    `curl ${callable.streaming ? '-N ' : ''}${verb === 'POST' && body !== '' ? '' : `-X ${verb} `}${quoted(gateway + path)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(credential === undefined ? [] : [`-H ${credential}`]),
  ];
  const title = 'curl';
  if (body === '') return { id: 'curl', title, code: lines(words) };
  if (!/^application\/(?:connect\+|grpc-web)/.test(headerOf(http, 'content-type'))) {
    return { id: 'curl', title, code: lines([...words, `-d ${quoted(compact(body))}`]) };
  }
  // The message has a prefix of five bytes: flags, and its length.
  const text = compact(body);
  const { length } = new TextEncoder().encode(text);
  const prefix = [0, 24, 16, 8, 0].map((shift, at) => (at === 0 ? 0 : (length >>> shift) & 0xff));
  const octal = prefix.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const code = `{ printf '${octal}'; printf %s ${quoted(text)}; } |\n  ${lines([...words, '--output -', '--data-binary @-'])}`;
  return { id: 'curl', title, code, note: 'The message has a prefix of five bytes, which printf writes.' };
}

const compact = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
};

function grpcurl(options: SnippetOptions): Snippet {
  const { callable, request, agent, gateway } = options;
  const { protocol, operation } = callable;
  const { grpc } = protocol;
  const found = [...(grpc?.methods ?? [])].find(([, method]) => method.operation === operation.name);
  const title = 'grpcurl';
  if (!grpc || !found) return { id: 'grpcurl', title, note: `${protocol.name} has no gRPC.` };
  const [rpc, method] = found;
  const message = encodeRequest(method, request, contextOf(request), { dialect: protocol.name, strict: false });
  const [version] = protocol.versions;
  const url = new URL(gateway);
  const credential = credentialOf(options);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const words = [
    `grpcurl${url.protocol === 'https:' ? '' : ' -plaintext'}`,
    ...(version === undefined ? [] : [`-H 'a2a-version: ${version}'`]),
    ...(agent === '' || protocol.ofGateway ? [] : [`-H ${quoted(`a2a-agent: ${agent}`)}`]),
    ...(credential === undefined ? [] : [`-H ${credential}`]),
    `-d ${quoted(JSON.stringify(message))}`,
    quoted(`${url.hostname}:${port}`),
    `${grpc.service}/${rpc}`,
  ];
  return { id: 'grpcurl', title, code: lines(words) };
}

/** The bindings of the command by those of the console. */
const via = { jsonrpc: 'jsonrpc', rest: 'rest', connect: 'connect', 'grpc-web': 'connect' } as const;

const kebab = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase();

function command({ callable, request, agent, gateway }: SnippetOptions): Snippet {
  const { protocol, operation, binding } = callable;
  const base = { id: 'command', title: 'a2a-gateway' } as const;
  const note = 'Reads A2A_API_KEY or A2A_BEARER.';
  if (protocol.ofGateway) {
    const given = Object.entries(request).filter(([, value]) => value !== '' && value !== undefined);
    if (given.some(([, value]) => typeof value === 'object')) {
      return { ...base, note: 'The command has no options for such a request.' };
    }
    const options = given.map(([name, value]) => `--${kebab(name)} ${quoted(String(value))}`);
    return {
      ...base,
      code: lines([`a2a-gateway admin ${kebab(operation.name)} ${quoted(gateway)}`, ...options]),
      note,
    };
  }
  if (!('card' in protocol)) return { ...base, ...knowledgeCommand(callable, request, `${gateway}/${agent}`) };
  const words = [
    `a2a-gateway call ${quoted(`${gateway}/${encodeURIComponent(agent)}`)} ${operation.name} ${quoted(JSON.stringify(request))}`,
    `--as ${protocol.name} --via ${via[binding]}`,
  ];
  return { ...base, code: lines(words), note };
}

function knowledgeCommand({ operation }: Callable, request: Record<string, unknown>, target: string) {
  const { query, queryLanguage } = request as { query?: string; queryLanguage?: string };
  if (operation.name === 'Query' && typeof query === 'string') {
    const language = queryLanguage && queryLanguage !== 'graphql' ? ` --language ${quoted(queryLanguage)}` : '';
    return { code: `a2a-gateway knowledge query ${quoted(target)} ${quoted(query)}${language}` };
  }
  return { note: 'See a2a-gateway knowledge --help.' };
}

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** Methods of the clients of `@a2a-js/sdk` that take a request of A2A 1.0. */
const sdkMethods: Readonly<Record<string, string>> = {
  SendMessage: 'sendMessage',
  SendStreamingMessage: 'sendMessageStream',
  GetTask: 'getTask',
  ListTasks: 'listTasks',
  CancelTask: 'cancelTask',
  SubscribeToTask: 'resubscribeTask',
};

function javascript({ callable, request, agent, gateway, http }: SnippetOptions): Snippet {
  const { protocol, operation, binding, streaming } = callable;
  const base = { id: 'javascript', title: 'JavaScript' } as const;
  const target = `${gateway}/${encodeURIComponent(agent)}`;
  const method = sdkMethods[operation.name];
  if (!('card' in protocol)) {
    const code = [
      `const response = await fetch(${JSON.stringify(gateway + http.path)}, {`,
      `  method: ${JSON.stringify(http.verb)},`,
      `  headers: ${pretty(Object.fromEntries(http.headers)).replaceAll('\n', '\n  ')},`,
      ...(http.body === '' ? [] : [`  body: JSON.stringify(${compact(http.body)}),`]),
      '});',
      'console.log(await response.text());',
    ].join('\n');
    return binding === 'jsonrpc' || binding === 'rest'
      ? { ...base, code }
      : { ...base, note: 'Choose JSON-RPC or HTTP+JSON.' };
  }
  if (protocol.name === 'a2a-1.0' && method !== undefined && binding !== 'connect' && binding !== 'grpc-web') {
    const type = operation.request.slice(operation.request.lastIndexOf('.') + 1);
    const code = [
      `import { ${type} } from '@a2a-js/sdk';`,
      "import { ClientFactory } from '@a2a-js/sdk/client';",
      '',
      `const client = await new ClientFactory().createFromUrl(${JSON.stringify(target)});`,
      `const request = ${type}.fromJSON(${pretty(request)});`,
      ...(streaming
        ? [`for await (const event of client.${method}(request)) console.log(event);`]
        : [`console.log(await client.${method}(request));`]),
    ].join('\n');
    return { ...base, code, note: 'npm install @a2a-js/sdk' };
  }
  const call = `${operation.name.charAt(0).toLowerCase()}${operation.name.slice(1)}`;
  const code = [
    "import { connect } from 'a2a-gateway';",
    '',
    `const agent = await connect(${JSON.stringify(target)}, { as: '${protocol.name}', via: '${via[binding]}' });`,
    `const request = ${pretty(request)};`,
    ...(streaming
      ? [`for await (const event of agent.${call}(request)) console.log(event);`]
      : [`console.log(await agent.${call}(request));`]),
    'await agent.close();',
  ].join('\n');
  return { ...base, code, note: 'npm install a2a-gateway' };
}

/** Methods of the client of `a2a-sdk` for Python. */
const pythonMethods: Readonly<Record<string, string>> = {
  ...{
    SendMessage: 'send_message',
    SendStreamingMessage: 'send_message',
    GetTask: 'get_task',
    ListTasks: 'list_tasks',
  },
  ...{ CancelTask: 'cancel_task', SubscribeToTask: 'subscribe' },
};

function python({ callable, request, agent, gateway, http }: SnippetOptions): Snippet {
  const { protocol, operation, binding } = callable;
  const base = { id: 'python', title: 'Python' } as const;
  const method = pythonMethods[operation.name];
  const speaks = versions.some(({ name, preview }) => name === protocol.name && !preview);
  if (speaks && method !== undefined) {
    const type = operation.request.slice(operation.request.lastIndexOf('.') + 1);
    const streams = method === 'send_message' || method === 'subscribe';
    const call = `client.${method}(request)`;
    const code = [
      'import asyncio',
      '',
      'from a2a.client import create_client',
      `from a2a.types import ${type}`,
      'from google.protobuf.json_format import ParseDict',
      '',
      '',
      'async def main():',
      `    client = await create_client(${literal(`${gateway}/${encodeURIComponent(agent)}`)})`,
      `    request = ParseDict(${literal(request, '    ')}, ${type}())`,
      ...(streams ? [`    async for event in ${call}:`, '        print(event)'] : [`    print(await ${call})`]),
      '',
      '',
      'asyncio.run(main())',
    ].join('\n');
    return { ...base, code, note: 'pip install a2a-sdk' };
  }
  if (binding !== 'jsonrpc' && binding !== 'rest') return { ...base, note: 'Choose JSON-RPC or HTTP+JSON.' };
  const body = http.body === '' ? '' : `,\n    json=${literal(parsed(http.body), '    ')}`;
  const code = [
    'import httpx',
    '',
    'with httpx.stream(',
    `    ${literal(http.verb)},`,
    `    ${literal(gateway + http.path)},`,
    `    headers=${literal(Object.fromEntries(http.headers), '    ')},`,
    `    timeout=None${body},`,
    ') as response:',
    '    for line in response.iter_lines():',
    '        print(line)',
  ].join('\n');
  return { ...base, code, note: 'pip install httpx' };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** A JSON value as Python writes it. */
export function literal(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => inner + literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${literal(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join(',\n')},\n${indent}${close}`;
}
