import type { StreamResponse } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import type { CodecContext, Frame } from '../../dialects/kernel/codec.ts';
import { encode } from '../../wire/protobuf.ts';
import type { Rpc } from './rpc.ts';

/** Encodes one stream's events as messages, none, one or several for one event. */
export interface EventEncoder<Out> {
  (event: LoggedEvent): Iterable<Out>;
  /** What follows the last event. */
  end(): Iterable<Out>;
}

/** The events of one stream as protobuf. */
export function eventEncoder(rpc: Rpc, cx: CodecContext): EventEncoder<Uint8Array> {
  const { api, operation } = rpc;
  return encoderOf(rpc, cx, (message) => encode(api, operation.response, message as object));
}

/** The events of one stream as ProtoJSON objects of the rpc's response type. */
export function messageEncoder(rpc: Rpc, cx: CodecContext): EventEncoder<object> {
  return encoderOf(rpc, cx, (message) => message as object);
}

function encoderOf<Out>(
  { method, operation }: Rpc,
  cx: CodecContext,
  out: (message: unknown) => Out,
): EventEncoder<Out> {
  const { stream } = method;
  if (!stream) throw new Error(`${operation.grpcPath} does not stream, but its reply does`);
  const { event } = stream;
  if (event) {
    // One array for all: it is read before the next event is encoded.
    const one: [Out] = [undefined as Out];
    const encodeOne = ({ event: v1 }: LoggedEvent): Iterable<Out> => {
      one[0] = out(event.encode(v1, cx));
      return one;
    };
    return Object.assign(encodeOne, { end: () => [] });
  }
  const encoder = stream.encoder(cx);
  const each = (frames: readonly Frame[]): Out[] => frames.map(({ data }) => out(JSON.parse(data)));
  return Object.assign((logged: LoggedEvent) => each(encoder.encode(logged)), {
    end: () => each(encoder.end?.() ?? []),
  });
}

/** The v1 events in one message of the rpc's response type, given as ProtoJSON. Throws A2AError `invalidParams`. */
export function messageDecoder({ method }: Rpc, cx: CodecContext): (message: object) => readonly StreamResponse[] {
  const { stream } = method;
  if (!stream) throw new TypeError(`${method.name} does not stream`);
  const { event } = stream;
  if (event) return (message) => [event.decode(message, cx)];
  const decoder = stream.decoder(cx);
  return (message) => decoder.decode({ data: message });
}
