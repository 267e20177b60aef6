import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';

/** gRPC as bytes over Node's own HTTP/2, for clients that misbehave. */

export const session = (target: string): ClientHttp2Session => {
  const made = connect(`http://${target}`);
  made.on('error', () => {});
  return made;
};

/** One message with its prefix; `length` may lie. */
export function frame(message: Uint8Array, length = message.length, compressed = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

export interface RawAnswer {
  /** grpc-status, in the head or the trailers. */
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

export function open(made: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
  const stream = made.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => {});
  return stream;
}

/** Everything that comes back on a stream, whose own side may still be open. */
export async function answerOf(stream: ClientHttp2Stream): Promise<RawAnswer> {
  const headers: Record<string, unknown> = {};
  const parts: Buffer[] = [];
  stream.on('response', (head) => Object.assign(headers, head));
  stream.on('trailers', (trailers) => Object.assign(headers, trailers));
  stream.on('data', (part: Buffer) => parts.push(part));
  await Promise.race([once(stream, 'end'), once(stream, 'close')]);
  const status = headers['grpc-status'];
  return { status: status === undefined ? undefined : Number(status), headers, body: Buffer.concat(parts) };
}

/** Sends bytes as the whole body of a call. */
export function ask(made: ClientHttp2Session, path: string, body: Uint8Array, headers?: OutgoingHttpHeaders) {
  const stream = open(made, path, headers);
  const answer = answerOf(stream);
  stream.end(body);
  return answer;
}
