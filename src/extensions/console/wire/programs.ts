import { ownDialect } from '../../../core/model/call.ts';
import { versions } from '../../../gen/versions.ts';
import { command, compact, curl, grpcurl, type SnippetOptions, via, type Written } from './commands.ts';
import { basePath } from './request.ts';

/** Calls as programs. */

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
  return { javascript: [`${name}: process.env.${variable},`], python: [`${name}: os.environ["${variable}"],`] };
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

/** A program in JavaScript. */
function javascript(options: SnippetOptions): Written {
  const { callable, request, agent, gateway, http, credential } = options;
  const { protocol, operation, binding, streaming } = callable;
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
    return binding === 'jsonrpc' || binding === 'rest' ? { code } : { note: 'Choose JSON-RPC or HTTP+JSON.' };
  }
  const isOfSdk = protocol.name === ownDialect && (binding === 'jsonrpc' || binding === 'rest');
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
    return { code, note: 'npm install @a2a-js/sdk' };
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
  return { code, note: 'npm install a2a-gateway' };
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

/** A program in Python. */
function python(options: SnippetOptions): Written {
  const { callable, request, agent, gateway, http, credential } = options;
  const { protocol, operation, binding } = callable;
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
    return { code, note: 'pip install a2a-sdk' };
  }
  if (binding !== 'jsonrpc' && binding !== 'rest') return { note: 'Choose JSON-RPC or HTTP+JSON.' };
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
  return { code, note: 'pip install httpx' };
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

const ways = [
  { id: 'curl', title: 'curl', write: curl },
  { id: 'grpcurl', title: 'grpcurl', write: grpcurl },
  { id: 'command', title: 'a2a-gateway', write: command },
  { id: 'javascript', title: 'JavaScript', write: javascript },
  { id: 'python', title: 'Python', write: python },
] as const;

/** A call as a command, or as code. */
export interface Snippet extends Written {
  readonly id: (typeof ways)[number]['id'];
  readonly title: string;
}

/** Every way to make a call. */
export const snippetsOf = (options: SnippetOptions): Snippet[] =>
  ways.map(({ id, title, write }) => ({ id, title, ...write(options) }));
