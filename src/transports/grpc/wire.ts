import type { FrameTap } from '../../core/model/frames.ts';
import type { WireLog } from '../../net/wire-log.ts';
import { decode } from '../../wire/protobuf.ts';
import type { OutgoingCall } from '../rpc/client.ts';
import type { OutgoingRpc } from './client-stream.ts';

/** Writes a call in the log, its messages as JSON. */
export const logged = ({ rpc: { api, operation }, message: request }: OutgoingCall, log: WireLog): FrameTap => ({
  sent(first, headers) {
    log.head('sent', first, headers);
    log.text('sent', JSON.stringify(request));
  },
  received: (first, headers) => log.head('received', first, headers),
  trailers: (trailers) => log.headers('received', trailers),
  data(message) {
    log.text('received', jsonOf(() => decode(api, operation.response, message)) ?? `[${message.length} bytes]`);
  },
  end: () => {},
});

/** Wraps a call so that the data that is sent and received is passed to its record, or to the log. */
export function withFrames(call: OutgoingRpc, frames: FrameTap): OutgoingRpc {
  let hasBegun = false;
  return {
    ...call,
    onSent(head) {
      const { ':method': method, ':path': path, ':authority': host, ':scheme': _, ...headers } = head;
      call.onSent?.(head);
      frames.sent(`${String(method)} ${String(path)} HTTP/2`, { host: String(host), ...headers }, call.message);
    },
    onHeaders(received) {
      const { ':status': status, ...headers } = received;
      if (hasBegun) frames.trailers?.(headers);
      else frames.received(`HTTP/2 ${status ?? ''}`, headers);
      hasBegun = true;
      call.onHeaders(received);
    },
    onMessage(message) {
      call.onMessage?.(message);
      frames.data(message);
    },
  };
}

/** The JSON of a message. Undefined if it cannot be decoded, which is reported elsewhere. */
function jsonOf(read: () => unknown): string | undefined {
  try {
    return JSON.stringify(read());
  } catch {
    return undefined;
  }
}
