import type { Field } from '../../../gen/api.ts';
import { type Callable, callablesOf } from './callables.ts';
import { base64Of, curl, grpcurl, type Headers, lines, quoted, type Snippet, secret } from './commands.ts';
import { enumLabel } from './form.ts';
import { basePath, bytesOf, type HttpText, isEnveloped, withoutEmpty, writeRequest } from './request.ts';

interface SnippetOptions {
  readonly callable: Callable;
  /** The request as text. */
  readonly http: HttpText;
  /** The request in v1. */
  readonly request: Record<string, unknown>;
  readonly agent: string;
  /** URL of the gateway's mount point, without a slash at the end. */
  readonly gateway: string;
  /** The header of the session's credential. Absent: calls need none. */
  readonly credential?: string;
}

/** Returns the ways to make a call of the bench. */
export function snippetsOf(options: SnippetOptions): Snippet[] {
  const { callable, http, request, agent, gateway, credential } = options;
  const { protocol, operation, streaming } = callable;
  const own: Headers = credential === undefined ? [] : [[credential, secret]];
  const sent = isEnveloped(http) ? { bytes: base64Of(bytesOf(http)) } : { body: compact(http.body) };
  const headers = [...http.headers, ...own];
  const code = curl({ verb: http.verb, url: gateway + http.path, headers, ...sent, flags: streaming ? '-N' : '' });
  return [
    { id: 'curl', title: 'curl', code },
    { id: 'grpcurl', title: 'grpcurl', ...overGrpc() },
    { id: 'command', title: 'a2a-gateway', code: command(options), note: 'Reads A2A_API_KEY or A2A_BEARER.' },
  ];

  function overGrpc(): Pick<Snippet, 'code' | 'note'> {
    const rpc = callablesOf(protocol, 'connect').find((one) => one.operation === operation);
    if (!rpc) return { note: `${protocol.name} has no gRPC.` };
    const [version] = protocol.versions;
    const metadata: Headers = [
      ...(version === undefined ? [] : [['a2a-version', version] as const]),
      ...(agent === '' || protocol.ofGateway ? [] : [['a2a-agent', agent] as const]),
      ...own,
    ];
    const message = compact(writeRequest(rpc, request, agent).body);
    return { code: grpcurl(gateway, `${protocol.grpc?.service}/${rpc.name}`, metadata, message) };
  }
}

/** Returns a body of JSON on one line; any other unchanged. */
function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

/** Returns the command of this package. */
function command({ callable, request, agent, gateway }: SnippetOptions): string {
  const { protocol, operation, binding } = callable;
  if (protocol.ofGateway) return adminCommand(callable, request, gateway);
  const target = quoted(gateway + basePath(callable, agent));
  if ('card' in protocol) {
    // The card on the dialect's own path has the interfaces of the dialect alone.
    const call = `a2a-gateway call ${target} ${operation.name} ${quoted(JSON.stringify(withoutEmpty(request)))}`;
    return lines([call, `--via ${binding === 'grpc-web' ? 'connect' : binding}`]);
  }
  if (operation.name !== 'Query') return 'a2a-gateway knowledge --help';
  const { query = '', queryLanguage: language } = request as Record<string, string>;
  return `a2a-gateway knowledge query ${target} ${quoted(query)}${language ? ` --language ${quoted(language)}` : ''}`;
}

const kebab = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase();

/** Returns the command for an operation of the admin service: its subject is an argument, other fields are options. */
function adminCommand({ operation, fields }: Callable, request: Record<string, unknown>, gateway: string): string {
  const given = (fields.messages[operation.request]?.fields ?? []).flatMap((field) =>
    [request[field.jsonName] ?? []]
      .flat()
      .filter((value) => value !== '')
      .map((value) => ({ field, word: wordOf(field, value) })),
  );
  const isSubject = ({ required, jsonName }: Field): boolean =>
    required === true && (jsonName === 'name' || jsonName === 'key');
  const subjects = given.filter(({ field }) => isSubject(field)).map(({ word }) => word);
  const options = given.filter(({ field }) => !isSubject(field));
  return lines([
    ['a2a-gateway admin', kebab(operation.name), ...subjects, quoted(gateway)].join(' '),
    ...options.map(({ field, word }) => `--${kebab(field.jsonName)} ${word}`),
  ]);
}

const wordOf = ({ kind, type }: Field, value: unknown): string => {
  if (kind === 'enum') return enumLabel(type, String(value)).replaceAll(' ', '_');
  return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value));
};
