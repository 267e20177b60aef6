import { type ClientHttp2Session, connect } from 'node:http2';
import type { Load } from './http.ts';

/** A gRPC message with its five-byte prefix. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/**
 * Calls the same method again and again over `connections` HTTP/2 sessions, one call at a time on each, for `duration`
 * milliseconds; plain node:http2, since a client on grpc-js would cost more than the server that is measured. Throws
 * when a call does not end with status 0.
 */
export async function loadGrpc(
  port: number,
  path: string,
  frame: Buffer,
  { connections, duration, version }: { connections: number; duration: number; version: string },
): Promise<Load> {
  const sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  try {
    const begin = performance.now();
    const end = begin + duration;
    const lists = await Promise.all(sessions.map((session) => drive(session, path, frame, version, end)));
    const latencies = lists.flat();
    return { requests: latencies.length, elapsed: performance.now() - begin, latencies };
  } finally {
    for (const session of sessions) session.destroy();
  }
}

async function drive(
  session: ClientHttp2Session,
  path: string,
  frame: Buffer,
  version: string,
  end: number,
): Promise<number[]> {
  const latencies: number[] = [];
  for (let sent = performance.now(); sent < end; ) {
    await once(session, path, frame, version);
    const now = performance.now();
    latencies.push(now - sent);
    sent = now;
  }
  return latencies;
}

function once(session: ClientHttp2Session, path: string, frame: Buffer, version: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'a2a-version': version,
    });
    let status: unknown;
    stream.on('response', (headers) => {
      status = headers['grpc-status'];
    });
    stream.on('trailers', (headers) => {
      status = headers['grpc-status'];
    });
    stream.on('data', () => undefined);
    stream.on('error', reject);
    stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`gRPC status ${String(status)}`))));
    stream.end(frame);
  });
}
