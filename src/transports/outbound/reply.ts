import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallContext, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { decodeResult, decodeWhole } from '../../dialects/kernel/calls.ts';
import type { CodecContext, StreamDecoder } from '../../dialects/kernel/codec.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import { decodeResponse, type ReceivedResponse, type ResponseBody, readBody } from './response-body.ts';
import { awaitFirst, readEventStream, type StreamReading, streamOf } from './response-stream.ts';

/** How a binding reads the answer to one request. */
export interface ReplyReading {
  readonly method: Method;
  readonly cx: CodecContext;
  readonly context: CallContext;
  /** Bytes of an answer, or of one event. */
  readonly maxAnswer: number;
  /** Name of the event that ends a stream. */
  readonly closing?: string | undefined;
  /** Whether a refusal may come as the first event of a stream, which is then awaited. */
  readonly mayRefuseInStream?: boolean;
  /** The events in a frame of a stream. */
  decodeFrame(decoder: StreamDecoder, frame: Parameters<StreamReading['decode']>[0]): readonly StreamResponse[];
  /** The value in the body of a unary answer, not yet decoded. Throws the error in the body. */
  readValue(body: ResponseBody): unknown;
}

/** Reads an answer over HTTP as the reply of its method. */
export async function readReply(received: ReceivedResponse, reading: ReplyReading): Promise<Reply> {
  const { answer, url } = received;
  const { method, cx, context, maxAnswer, closing } = reading;
  const { result, stream } = method;
  if (answer.mediaType === 'text/event-stream' && answer.status < 400) {
    if (stream === undefined) {
      answer.discard();
      throw new A2AError('invalidAgentResponse', `${url.href} answered ${method.name} with a stream`);
    }
    const decoder = stream.decoder(cx);
    const decode: StreamReading['decode'] = (frame) => reading.decodeFrame(decoder, frame);
    const end = (): readonly StreamResponse[] => [...(cx.salvage?.end() ?? []), ...(decoder.end?.() ?? [])];
    const over = (): boolean => cx.salvage?.over === true;
    const { salvage } = cx;
    const events = readEventStream(answer, { maxEvent: maxAnswer, context, salvage, closing, decode, over, end });
    return { events: reading.mayRefuseInStream ? await awaitFirst(events) : events };
  }
  const value = reading.readValue(await readBody(received, maxAnswer, cx.salvage));
  if (result !== undefined) return decodeResponse(() => decodeResult(result, value, cx));
  // Agents that do not stream, whatever their cards say, answer with the final result.
  if (stream !== undefined) return { events: streamOf(decodeResponse(() => decodeWhole(stream, cx, value))) };
  throw new A2AError('invalidAgentResponse', `${url.href} answered ${method.name} with an unknown result`);
}
