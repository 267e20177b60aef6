import type { Message } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { encodeRequest, subjectOf } from '../../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../../dialects/kernel/codec.ts';
import { createRequestWriter } from '../../../dialects/kernel/http-request.ts';
import { visibleJson } from '../ui/visible.ts';
import type { Callable } from './callables.ts';

/** A request as text: its first line, headers, an empty line, and the body. It is what users edit, and is sent as it stands. */

export interface HttpText {
  readonly verb: string;
  /** Path below the gateway's mount point, with the query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** '' where there is none. */
  readonly body: string;
}

/** The text of a request. */
export function formatHttp({ verb, path, headers, body }: HttpText): string {
  const head = [`${verb} ${path}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body === '' ? head : `${head}\n\n${body}`;
}

const requestLine = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/[\d.]+)?[ \t]*$/;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):(.*)$/;

/**
 * Reads the text of a request. The body is taken as it stands.
 *
 * @throws A2AError `invalidRequest` that names the line
 */
export function parseHttp(text: string): HttpText {
  const [, head = '', body = ''] = /^([\s\S]*?)(?:\r?\n[ \t]*\r?\n([\s\S]*))?$/.exec(text.trimStart()) ?? [];
  const [first = '', ...lines] = head.split(/\r?\n/);
  const [, verb, path] = requestLine.exec(first) ?? [];
  if (verb === undefined || path === undefined) {
    throw new A2AError('invalidRequest', 'The first line must be a method and a path, such as POST /demo');
  }
  if (!path.startsWith('/')) {
    throw new A2AError('invalidRequest', 'The path must begin with a slash: requests go to this gateway only');
  }
  const headers = lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, value] = headerLine.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        throw new A2AError('invalidRequest', `This line is not a header: ${line.slice(0, 80)}`);
      }
      return [name, value.trim()] as const;
    });
  return { verb: verb.toUpperCase(), path, headers, body };
}

/** The value of a header; '' where there is none. */
export function headerOf({ headers }: Pick<HttpText, 'headers'>, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

/** The same request with a header set, or removed where `value` is undefined. */
export function withHeader(request: HttpText, name: string, value: string | undefined): HttpText {
  const others = request.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** Requests in v1 as requests over HTTP, by the tables of the dialect. */

/** A request over HTTP, and what the dialect could not say of it. */
export interface WrittenRequest extends HttpText {
  /** Paths of fields in v1 that were dropped. */
  readonly losses: readonly string[];
}

/** Media types by binding; whether messages have prefixes follows from them. */
const mediaTypes = {
  connect: { unary: 'application/json', stream: 'application/connect+json' },
  'grpc-web': { unary: 'application/grpc-web+json', stream: 'application/grpc-web+json' },
} as const;

/** Path of the agent's interface for the method: dialects have paths of their own, so that no request is ambiguous. */
export function basePath({ protocol, binding }: Pick<Callable, 'protocol' | 'binding'>, agent: string): string {
  // Without an agent in its path, a JSON-RPC request reaches the default agent, which there may not be.
  if (protocol.ofGateway && (binding !== 'jsonrpc' || agent === '')) return '';
  const base = agent === '' ? '' : `/${encodeURIComponent(agent)}`;
  return 'card' in protocol ? `${base}/as/${protocol.name}` : base;
}

/** The context of a call's codecs: what readers cannot miss is not noted, and the gateway's own metadata stay. */
export function contextOf(request: object): CodecContext & { readonly losses: Set<string> } {
  const taskId = subjectOf(request);
  const { message } = request as { message?: Message };
  return {
    losses: new Set(),
    keepsOwn: true,
    ...(taskId !== undefined && taskId !== '' && { taskId }),
    ...(message?.messageId && { sent: message.messageId }),
  };
}

/**
 * Writes a request.
 *
 * @param request in v1
 * @param id of a JSON-RPC request
 * @throws A2AError where the dialect cannot say it, or a part of the URL is missing
 */
export function writeRequest(
  callable: Callable,
  request: object,
  agent: string,
  id: number | string = 1,
): WrittenRequest {
  const { protocol, binding, method, name } = callable;
  const cx = contextOf(request);
  const encoded = encodeRequest(method, withoutEmpty(request), cx, { dialect: protocol.name, strict: false });
  const base = basePath(callable, agent);
  return { ...write(), losses: [...cx.losses].sort() };

  function write(): HttpText {
    if (binding === 'jsonrpc') {
      const body = visibleJson({ jsonrpc: '2.0', id, method: name, params: encoded });
      const accept = callable.streaming ? 'text/event-stream, application/json' : 'application/json';
      return { verb: 'POST', path: base || '/', headers: headersOf(callable, 'application/json', accept), body };
    }
    const { rest, grpc } = protocol;
    if (binding === 'rest' && rest) {
      const { verb, path, query, body } = createRequestWriter(rest).write(method.operation, encoded);
      const accept = `${callable.streaming ? 'text/event-stream, ' : ''}${rest.mediaType}`;
      const type = body === undefined ? undefined : rest.mediaType;
      const text = body === undefined ? '' : visibleJson(JSON.parse(body));
      return {
        verb,
        path: `${base}${path}${query && `?${query}`}`,
        headers: headersOf(callable, type, accept),
        body: text,
      };
    }
    const type = mediaTypes[binding as keyof typeof mediaTypes][callable.streaming ? 'stream' : 'unary'];
    const path = `${base}/${grpc?.service}/${name}`;
    return { verb: 'POST', path, headers: headersOf(callable, type, undefined), body: visibleJson(encoded ?? {}) };
  }
}

function headersOf(
  { protocol, binding }: Callable,
  type: string | undefined,
  accept: string | undefined,
): HttpText['headers'] {
  const [version] = protocol.versions;
  return [
    ...(type === undefined ? [] : [['Content-Type', type] as const]),
    ...(accept === undefined ? [] : [['Accept', accept] as const]),
    ...(version === undefined ? [] : [['A2A-Version', version] as const]),
    ...(binding === 'connect' ? [['Connect-Protocol-Version', '1'] as const] : []),
    ...(binding === 'grpc-web' ? [['X-Grpc-Web', '1'] as const] : []),
  ];
}

/** A request without texts that are empty at its top: path and query have no place for them. */
function withoutEmpty(request: object): object {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== '' && value !== undefined));
}
