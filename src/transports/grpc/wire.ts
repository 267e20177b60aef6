import type { FrameTap } from '../../core/model/frames.ts';
import type { WireLog } from '../../net/wire-log.ts';
import { decode } from '../../wire/protobuf.ts';
import type { OutgoingCall } from '../rpc/client.ts';
import type { OutgoingRpc } from './client-stream.ts';

/** The call, with what is sent and received in the log; messages are written as JSON. */
export function withWireLog(
  call: OutgoingRpc,
  { rpc: { api, operation }, message: request }: OutgoingCall,
  log: WireLog,
): OutgoingRpc {
  let hasBegun = false;
  return {
    ...call,
    onSent(head) {
      const { ':method': method, ':path': path, ':authority': host, ...headers } = head;
      log.head('sent', `${String(method)} ${String(path)} HTTP/2`, { host: String(host), ...headers });
      log.text('sent', JSON.stringify(request));
    },
    onHeaders(received) {
      if (hasBegun) log.headers('received', received);
      else log.head('received', `HTTP/2 ${received[':status'] ?? ''}`, received);
      hasBegun = true;
      call.onHeaders(received);
    },
    onMessage(message) {
      log.text('received', jsonOf(() => decode(api, operation.response, message)) ?? `[${message.length} bytes]`);
    },
  };
}

/** The call, with what is sent and received in its record. */
export function withFrames(call: OutgoingRpc, frames: FrameTap): OutgoingRpc {
  let hasBegun = false;
  return {
    ...call,
    onSent({ ':method': method, ':path': path, ':authority': host, ':scheme': _, ...headers }) {
      frames.sent(`${String(method)} ${String(path)} HTTP/2`, { host: String(host), ...headers }, call.message);
    },
    onHeaders(received) {
      const { ':status': status, ...headers } = received;
      if (hasBegun) frames.trailers?.(headers);
      else frames.received(`HTTP/2 ${status ?? ''}`, headers);
      hasBegun = true;
      call.onHeaders(received);
    },
    onMessage: (message) => frames.data(message),
  };
}

/** A message that cannot be decoded is reported elsewhere. */
function jsonOf(read: () => unknown): string | undefined {
  try {
    return JSON.stringify(read());
  } catch {
    return undefined;
  }
}
