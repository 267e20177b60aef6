import type { Message } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import { encodeRequest, subjectOf } from '../../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../../dialects/kernel/codec.ts';
import { createRequestWriter } from '../../../dialects/kernel/http-request.ts';
import { prefixLength, writeEnvelope } from '../../../wire/envelope.ts';
import { visibleJson } from '../ui/visible.ts';
import type { Callable } from './callables.ts';
import { base64Of, curl, secret } from './commands.ts';

/** A request as text: its first line, headers, an empty line, and the body. Users edit it, and it is sent unchanged. */

export interface HttpText {
  readonly verb: string;
  /** Path below the gateway's mount point, with the query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body; '' if there is none. */
  readonly body: string;
}

/** Formats the text of a request. */
export function formatHttp({ verb, path, headers, body }: HttpText): string {
  const head = [`${verb} ${path}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body === '' ? head : `${head}\n\n${body}`;
}

const requestLine = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/[\d.]+)?[ \t]*$/;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):(.*)$/;

/**
 * Reads the text of a request. The body is used unchanged.
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

/** Returns the value of a header; '' if there is none. */
export function headerOf({ headers }: Pick<HttpText, 'headers'>, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

/** Whether the body is a message with a prefix: of a stream over Connect, or of any call over gRPC-Web. */
const isEnveloped = (request: HttpText): boolean =>
  /^application\/(?:connect\+|grpc-web)/i.test(headerOf(request, 'content-type'));

/** Returns the body in bytes. */
export function bytesOf(request: HttpText): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(request.body);
  return isEnveloped(request) ? writeEnvelope(new Uint8Array(prefixLength + bytes.length), bytes) : bytes;
}

interface CommandOptions {
  /** URL of the gateway's mount point, without a slash at the end. */
  readonly gateway: string;
  /** The header of the session's credential. Absent: calls need none. */
  readonly credential?: string;
  readonly streaming: boolean;
}

/** Returns a request as a command of curl. */
export function commandOf(request: HttpText, { gateway, credential, streaming }: CommandOptions): string {
  const { verb, path, body } = request;
  return curl({
    verb,
    url: gateway + path,
    headers: [...request.headers, ...(credential === undefined ? [] : [[credential, secret] as const])],
    ...(isEnveloped(request) ? { bytes: base64Of(bytesOf(request)) } : { body }),
    flags: streaming ? '-N' : '',
  });
}

/** Encodes requests in v1 as requests over HTTP, by the tables of the dialect. */

/** A request over HTTP, with its losses. */
interface WrittenRequest extends HttpText {
  /** Paths of fields in v1 that were dropped. */
  readonly losses: readonly string[];
}

/**
 * Returns the path of the agent's interface for the method: dialects have paths of their own, so that no request is
 * ambiguous.
 */
function basePath({ protocol, binding }: Pick<Callable, 'protocol' | 'binding'>, agent: string): string {
  // Without an agent in its path, a JSON-RPC request reaches the default agent, which may not exist.
  if (protocol.ofGateway && (binding !== 'jsonrpc' || agent === '')) return '';
  const base = agent === '' ? '' : `/${encodeURIComponent(agent)}`;
  return 'card' in protocol ? `${base}/as/${protocol.name}` : base;
}

/**
 * Returns the context of a call's codecs: losses that readers cannot miss are not noted, and the gateway's own metadata
 * stay.
 */
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
 * @throws A2AError if the dialect cannot express it, or a part of the URL is missing
 */
export function writeRequest(
  callable: Callable,
  request: Record<string, unknown>,
  agent: string,
  id: number | string = 1,
): WrittenRequest {
  const { protocol, binding, method, name, streaming } = callable;
  const cx = contextOf(request);
  const encoded = encodeRequest(method, withoutEmpty(request), cx, { dialect: protocol.name, strict: false });
  const base = basePath(callable, agent);
  return { ...write(), losses: [...cx.losses].sort() };

  function write(): HttpText {
    const { rest, grpc } = protocol;
    if (binding === 'jsonrpc') {
      const body = visibleJson({ jsonrpc: '2.0', id, method: name, params: encoded });
      return { verb: 'POST', path: base || '/', headers: headersOf('application/json', 'application/json'), body };
    }
    if (binding === 'rest' && rest) {
      const { verb, path, query, body } = createRequestWriter(rest).write(method.operation, encoded);
      const headers = headersOf(body === undefined ? undefined : rest.mediaType, rest.mediaType);
      const text = body === undefined ? '' : visibleJson(JSON.parse(body));
      return { verb, path: `${base}${path}${query && `?${query}`}`, headers, body: text };
    }
    const prefix = binding === 'grpc-web' ? 'grpc-web+' : streaming ? 'connect+' : '';
    const headers = headersOf(`application/${prefix}json`);
    return { verb: 'POST', path: `${base}/${grpc?.service}/${name}`, headers, body: visibleJson(encoded ?? {}) };
  }

  function headersOf(type: string | undefined, accepted?: string): HttpText['headers'] {
    const [version] = protocol.versions;
    const headers: Readonly<Record<string, string | undefined>> = {
      'Content-Type': type,
      Accept: accepted && (streaming ? `text/event-stream, ${accepted}` : accepted),
      'A2A-Version': version,
      'Connect-Protocol-Version': binding === 'connect' ? '1' : undefined,
      'X-Grpc-Web': binding === 'grpc-web' ? '1' : undefined,
    };
    return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  }
}

/** Returns a request without empty texts at its top, which path and query cannot contain, and in its message. */
export function withoutEmpty({ message, ...request }: Record<string, unknown>): Record<string, unknown> {
  const others = Object.entries(request).filter(([, value]) => value !== '' && value !== undefined);
  return { ...Object.fromEntries(others), ...(isObject(message) && { message: withoutEmpty(message) }) };
}
