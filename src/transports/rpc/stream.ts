import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallContext, LoggedEvent } from '../../core/model/call.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { StreamMeter } from '../../core/telemetry/meters.ts';
import { decodeFrame } from '../../dialects/kernel/calls.ts';
import type { CodecContext, Frame } from '../../dialects/kernel/codec.ts';
import type { Rpc } from './rpc.ts';

/** Encodes one stream's events as messages: none, one or several for each event. */
interface EventEncoder<Out> {
  (event: LoggedEvent): Iterable<Out>;
  /** The messages after the last event. */
  end(): Iterable<Out>;
}

/** Creates the encoder of one stream. */
function eventEncoder<Out>(
  { method, operation }: Rpc,
  cx: CodecContext,
  encodeMessage: (message: object) => Out,
): EventEncoder<Out> {
  const { stream } = method;
  if (!stream) throw new Error(`${operation.grpcPath} does not stream, but its reply does`);
  const { event: codec } = stream;
  if (codec) {
    // One array for all events, because it is read before the next event is encoded.
    const one: [Out] = [undefined as Out];
    const encodeOne = (logged: LoggedEvent): Iterable<Out> => {
      one[0] = encodeMessage(codec.encode(logged, cx) as object);
      return one;
    };
    return Object.assign(encodeOne, { end: () => [] });
  }
  const encoder = stream.encoder(cx);
  const encodeFrames = (frames: readonly Frame[]): Out[] => frames.map(({ data }) => encodeMessage(JSON.parse(data)));
  return Object.assign((logged: LoggedEvent) => encodeFrames(encoder.encode(logged)), {
    end: () => encodeFrames(encoder.end?.() ?? []),
  });
}

/** Returns the decoder of one stream: from ProtoJSON of the rpc's response type to v1 events. It throws `invalidParams`. */
export function messageDecoder({ method }: Rpc, cx: CodecContext): (message: object) => readonly StreamResponse[] {
  const { stream } = method;
  if (!stream) throw new TypeError(`${method.name} does not stream`);
  const { event } = stream;
  const decoder = event
    ? { decode: ({ data }: { readonly data: unknown }) => [event.decode(data, cx)] }
    : stream.decoder(cx);
  return (message) => decodeFrame(decoder, { data: message }, cx);
}

/** A response to which messages are written. */
export interface MessageSink<Out> {
  /** Encodes ProtoJSON of the rpc's response type. Called without the sink. */
  readonly encode: (message: object) => Out;
  /** Whether the response has ended, or the client is gone. */
  isOver(): boolean;
  /** Sends the headers, with `flush` before there is a message. */
  begin(flush: boolean): void;
  /** Returns a promise when the next message must wait until the client has read this one. */
  send(message: Out): Promise<void> | undefined;
  end(): void;
}

export interface StreamWriting extends Pick<CallContext, 'notes' | 'reservation'> {
  /** Milliseconds to wait for memory: as long as for a slow client. */
  readonly slowReader: number;
  readonly meter: StreamMeter;
}

/** Returns how the events of a call's stream are written. It keeps no more of the context than a stream needs. */
export const writingFor = (
  { notes, reservation }: CallContext,
  slowReader: number,
  meter: StreamMeter,
): StreamWriting => ({ notes, reservation, slowReader, meter });

/**
 * Writes the events of a stream. Unless the method says otherwise, the headers wait for the first event, so that refused
 * streams get an error instead. Always ends the iteration.
 */
export async function writeEvents<Out>(
  rpc: Rpc,
  events: AsyncIterator<LoggedEvent>,
  sink: MessageSink<Out>,
  { notes, reservation, slowReader, meter }: StreamWriting,
): Promise<void> {
  const encode = eventEncoder(rpc, notes, sink.encode);
  let hasBegun = rpc.method.stream?.atOnce === true;
  meter.open += 1;
  meter.begun += 1;
  try {
    if (hasBegun) sink.begin(true);
    for (let step = await events.next(); !step.done && !sink.isOver(); step = await events.next()) {
      const reserving = reservation?.reserve(step.value.json.length, steadyNow() + slowReader);
      if (reserving) {
        await reserving;
        if (sink.isOver()) return;
      }
      const held = reservation && reservation.bytes > 0 ? reservation : undefined;
      if (!hasBegun) sink.begin(false);
      hasBegun = true;
      // The stream may be open for hours.
      if (reservation) reservation.sent = undefined;
      for (const message of encode(step.value)) {
        held?.release();
        const reading = sink.send(message);
        if (reading) await reading;
      }
      held?.release();
      held?.drained();
      meter.events += 1;
      notes.events = (notes.events ?? 0) + 1;
    }
    if (sink.isOver()) return;
    if (!hasBegun) sink.begin(false);
    for (const message of encode.end()) {
      const reading = sink.send(message);
      if (reading) await reading;
    }
    sink.end();
  } finally {
    meter.open -= 1;
    endIteration(events);
  }
}

/** Ends an iteration without waiting for its end. */
export const endIteration = (events: AsyncIterator<unknown> | undefined): void => {
  events?.return?.()?.catch(() => {});
};
