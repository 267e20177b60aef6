import { encodeRequest } from '../../dialects/kernel/calls.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { versions } from '../../gen/versions.ts';
import type { Callable } from './callables.ts';
import { type HttpText, headerOf } from './http-text.ts';
import { basePath, contextOf } from './request.ts';

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
  // The card on the dialect's own path has the interfaces of the dialect alone.
  const target = gateway + basePath(callable, agent);
  const words = [
    `a2a-gateway call ${quoted(target)} ${operation.name} ${quoted(JSON.stringify(request))}`,
    `--via ${via[binding]}`,
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

/** The environment variable that has the credential. */
const variableOf = ({ kind }: NonNullable<SnippetOptions['credential']>): string =>
  kind === 'bearer' ? 'A2A_BEARER' : 'A2A_API_KEY';

/** The credential as a line of an object in JavaScript, and of a dictionary in Python. */
function headerLines({ credential }: SnippetOptions): { javascript: string[]; python: string[] } {
  if (!credential) return { javascript: [], python: [] };
  const variable = variableOf(credential);
  if (credential.kind === 'bearer') {
    return {
      javascript: [`Authorization: \`Bearer \${process.env.${variable}}\`,`],
      python: [`"Authorization": "Bearer " + os.environ["${variable}"],`],
    };
  }
  const name = JSON.stringify(credential.header);
  return {
    javascript: [`${name}: process.env.${variable},`],
    python: [`${name}: os.environ["${variable}"],`],
  };
}

/** The headers of a request, each a line. */
const linesOf = ({ http, ...options }: SnippetOptions, language: 'javascript' | 'python', indent: string): string =>
  [
    ...http.headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...headerLines({ http, ...options })[language],
  ]
    .map((line) => `${indent}${line}`)
    .join('\n');

/** Methods of the clients of `@a2a-js/sdk` that take a request of A2A 1.0. */
const sdkMethods: Readonly<Record<string, string>> = {
  SendMessage: 'sendMessage',
  SendStreamingMessage: 'sendMessageStream',
  GetTask: 'getTask',
  ListTasks: 'listTasks',
  CancelTask: 'cancelTask',
  SubscribeToTask: 'resubscribeTask',
};

function javascript(options: SnippetOptions): Snippet {
  const { callable, request, agent, gateway, http, credential } = options;
  const { protocol, operation, binding, streaming } = callable;
  const base = { id: 'javascript', title: 'JavaScript' } as const;
  const target = `${gateway}/${encodeURIComponent(agent)}`;
  const method = sdkMethods[operation.name];
  if (!('card' in protocol)) {
    const code = [
      `const response = await fetch(${JSON.stringify(gateway + http.path)}, {`,
      `  method: ${JSON.stringify(http.verb)},`,
      '  headers: {',
      linesOf(options, 'javascript', '    '),
      '  },',
      ...(http.body === '' ? [] : [`  body: JSON.stringify(${compact(http.body)}),`]),
      '});',
      'console.log(await response.text());',
    ].join('\n');
    return binding === 'jsonrpc' || binding === 'rest'
      ? { ...base, code }
      : { ...base, note: 'Choose JSON-RPC or HTTP+JSON.' };
  }
  const isOfSdk = protocol.name === 'a2a-1.0' && (binding === 'jsonrpc' || binding === 'rest');
  if (isOfSdk && method !== undefined && !credential) {
    const type = operation.request.slice(operation.request.lastIndexOf('.') + 1);
    const code = [
      `import { ${type} } from '@a2a-js/sdk';`,
      "import { ClientFactory } from '@a2a-js/sdk/client';",
      '',
      `const client = await new ClientFactory().createFromUrl(${JSON.stringify(target)});`,
      `const request = ${type}.fromJSON(${pretty(request)});`,
      ...(streaming
        ? [`for await (const event of client.${method}(request)) console.dir(event, { depth: null });`]
        : [`console.dir(await client.${method}(request), { depth: null });`]),
    ].join('\n');
    return { ...base, code, note: 'npm install @a2a-js/sdk' };
  }
  const call = `${operation.name.charAt(0).toLowerCase()}${operation.name.slice(1)}`;
  const own = credential ? `, ${credential.kind}: process.env.${variableOf(credential)}` : '';
  const code = [
    "import { connect } from 'a2a-gateway';",
    '',
    `const agent = await connect(${JSON.stringify(gateway + basePath(callable, agent))}, { via: '${via[binding]}'${own} });`,
    `const request = ${pretty(request)};`,
    ...(streaming
      ? [`for await (const event of agent.${call}(request)) console.dir(event, { depth: null });`]
      : [`console.dir(await agent.${call}(request), { depth: null });`]),
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

function python(options: SnippetOptions): Snippet {
  const { callable, request, agent, gateway, http, credential } = options;
  const { protocol, operation, binding } = callable;
  const base = { id: 'python', title: 'Python' } as const;
  const method = pythonMethods[operation.name];
  const speaks = versions.some(({ name, preview }) => name === protocol.name && !preview);
  if (speaks && method !== undefined) {
    const type = operation.request.slice(operation.request.lastIndexOf('.') + 1);
    const streams = method === 'send_message' || method === 'subscribe';
    const call = `client.${method}(request)`;
    const target = literal(`${gateway}/${encodeURIComponent(agent)}`);
    const code = [
      'import asyncio',
      ...(credential ? ['import os', '', 'import httpx'] : ['']),
      `from a2a.client import ${credential ? 'ClientConfig, ' : ''}create_client`,
      `from a2a.types import ${type}`,
      'from google.protobuf.json_format import ParseDict',
      '',
      '',
      'async def main():',
      ...(credential
        ? [
            `    http = httpx.AsyncClient(headers={${headerLines(options).python.join(' ').replace(/,$/, '')}})`,
            `    client = await create_client(${target}, client_config=ClientConfig(httpx_client=http))`,
          ]
        : [`    client = await create_client(${target})`]),
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
    ...(credential ? ['import os', ''] : []),
    'import httpx',
    '',
    'with httpx.stream(',
    `    ${literal(http.verb)},`,
    `    ${literal(gateway + http.path)},`,
    '    headers={',
    linesOf(options, 'python', '        '),
    '    },',
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
