import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CodecContext, StreamShape } from './codec.ts';
import type { RecordCodec } from './record.ts';

/**
 * A stream whose events stand for themselves, each a frame without a name.
 *
 * @param untilOver whether the stream goes on until the task is over, and not only until it rests
 */
export function eventStream(event: RecordCodec<StreamResponse, unknown>, untilOver = false): StreamShape {
  const contextOf = (cx: CodecContext): CodecContext => (untilOver ? { ...cx, untilOver: true } : cx);
  return {
    encoder(cx) {
      const own = contextOf(cx);
      return { encode: (logged) => [{ data: JSON.stringify(event.encode(logged.event, own, '')) }] };
    },
    decoder(cx) {
      const own = contextOf(cx);
      return { decode: ({ data }) => [event.decode(data, own)] };
    },
    event: {
      decode: (wire, cx) => event.decode(wire, contextOf(cx)),
      encode: (v1, cx) => event.encode(v1, contextOf(cx), ''),
    },
  };
}
