import { encodeRequest } from '../../../dialects/kernel/calls.ts';
import type { Field } from '../../../gen/api.ts';
import type { BindingId, Callable } from './callables.ts';
import { enumLabel } from './form.ts';
import { basePath, contextOf, type HttpText, headerOf } from './request.ts';

/** A call as a command, or as code. Credentials are read from the environment. */

/** One way to make a call. */
export interface Written {
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
}

/** The bindings of the command by those of the console. */
export const via: Readonly<Record<BindingId, string>> = {
  jsonrpc: 'jsonrpc',
  rest: 'rest',
  connect: 'connect',
  'grpc-web': 'connect',
};

/** A body of JSON on one line; any other as it stands. */
export const compact = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
};

/** Calls as commands of a shell. */

/** A text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A header with the credential, which a shell takes from the environment. */
const credentialOf = ({ credential }: SnippetOptions): string | undefined =>
  credential &&
  (credential.kind === 'bearer' ? '"Authorization: Bearer $A2A_BEARER"' : `"${credential.header}: $A2A_API_KEY"`);

export const lines = (words: readonly string[]): string => words.join(' \\\n  ');

export function curl(options: SnippetOptions): Written {
  const { http, gateway, callable } = options;
  const { verb, path, headers, body } = http;
  const credential = credentialOf(options);
  const words = [
    `curl ${callable.streaming ? '-N ' : ''}${verb === 'POST' && body !== '' ? '' : `-X ${verb} `}${quoted(gateway + path)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(credential === undefined ? [] : [`-H ${credential}`]),
  ];
  if (body === '') return { code: lines(words) };
  if (!/^application\/(?:connect\+|grpc-web)/.test(headerOf(http, 'content-type'))) {
    return { code: lines([...words, `-d ${quoted(compact(body))}`]) };
  }
  // The message has a prefix of five bytes: flags, and its length.
  const text = compact(body);
  const { length } = new TextEncoder().encode(text);
  const prefix = [0, 24, 16, 8, 0].map((shift, at) => (at === 0 ? 0 : (length >>> shift) & 0xff));
  const octal = prefix.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const code = `{ printf '${octal}'; printf %s ${quoted(text)}; } |\n  ${lines([...words, '--output -', '--data-binary @-'])}`;
  return { code, note: 'The message has a prefix of five bytes, which printf writes.' };
}

export function grpcurl(options: SnippetOptions): Written {
  const { callable, request, agent, gateway } = options;
  const { protocol, operation } = callable;
  const { grpc } = protocol;
  const found = [...(grpc?.methods ?? [])].find(([, method]) => method.operation === operation.name);
  if (!grpc || !found) return { note: `${protocol.name} has no gRPC.` };
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
  return { code: lines(words) };
}

const kebab = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase();

/** The command of this package. */
export function command({ callable, request, agent, gateway }: SnippetOptions): Written {
  const { protocol, operation, binding } = callable;
  const note = 'Reads A2A_API_KEY or A2A_BEARER.';
  if (protocol.ofGateway) return { code: adminCommand(callable, request, gateway), note };
  if (!('card' in protocol)) return knowledgeCommand(callable, request, `${gateway}/${agent}`);
  // The card on the dialect's own path has the interfaces of the dialect alone.
  const target = gateway + basePath(callable, agent);
  const words = [
    `a2a-gateway call ${quoted(target)} ${operation.name} ${quoted(JSON.stringify(request))}`,
    `--via ${via[binding]}`,
  ];
  return { code: lines(words), note };
}

/** What an operation is about is an argument, other fields are options. */
function adminCommand({ operation, fields }: Callable, request: Record<string, unknown>, gateway: string): string {
  const given = (fields.messages[operation.request]?.fields ?? []).flatMap((field) => {
    const value = request[field.jsonName];
    if (value === undefined || value === '') return [];
    return [{ field, values: (Array.isArray(value) ? value : [value]).map((one) => wordOf(field, one)) }];
  });
  const isSubject = ({ jsonName, required }: Field): boolean =>
    required === true && (jsonName === 'name' || jsonName === 'key');
  const subject = given.filter(({ field }) => isSubject(field)).flatMap(({ values }) => values);
  const options = given.filter(({ field }) => !isSubject(field));
  return lines([
    ['a2a-gateway admin', kebab(operation.name), ...subject, quoted(gateway)].join(' '),
    ...options.flatMap(({ field, values }) => values.map((value) => `--${kebab(field.jsonName)} ${value}`)),
  ]);
}

const wordOf = ({ kind, type }: Field, value: unknown): string => {
  if (kind === 'enum') return quoted(enumLabel(type, String(value)).replaceAll(' ', '_'));
  return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value));
};

function knowledgeCommand({ operation }: Callable, request: Record<string, unknown>, target: string): Written {
  const { query, queryLanguage } = request as { query?: string; queryLanguage?: string };
  if (operation.name === 'Query' && typeof query === 'string') {
    const language = queryLanguage && queryLanguage !== 'graphql' ? ` --language ${quoted(queryLanguage)}` : '';
    return { code: `a2a-gateway knowledge query ${quoted(target)} ${quoted(query)}${language}` };
  }
  return { note: 'See a2a-gateway knowledge --help.' };
}
