import type { Message, StreamResponse } from '../../core/model/a2a.ts';
import type { Call, CallContext, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import { encodeRequest } from '../../dialects/kernel/losses.ts';
import { decodeWhole, joinReplies, replyOfFirst, subjectOf } from '../../dialects/kernel/methods.ts';
import type { JsonRpcBinding, Method } from '../../dialects/kernel/wire.ts';
import { readRpcResponse } from '../../wire/jsonrpc.ts';
import {
  type ClientTransport,
  createHttpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from '../outbound/http-transport.ts';
import {
  decodeResponse,
  errorByStatus,
  notJson,
  type ReceivedResponse,
  readBody,
  refineByStatus,
} from '../outbound/response-body.ts';
import { awaitFirst, readEventStream, streamOf } from '../outbound/response-stream.ts';

/**
 * A client of an agent's JSON-RPC interface, in any dialect that has one.
 *
 * Its `invoke` rejects with the A2AError that the agent told; with `unsupportedOperation` when the dialect has no such
 * method; with `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded` as the network has it; with
 * `invalidAgentResponse` when the answer cannot be made sense of.
 *
 * @throws A2AError `invalidParams` for a URL that cannot be called; TypeError when the dialect has no JSON-RPC face
 */
export function createJsonRpcClient(options: HttpTransportOptions): ClientTransport {
  const { dialect } = options;
  const face = dialect.jsonrpc;
  if (face === undefined) throw new TypeError(`${dialect.name} is not spoken over JSON-RPC`);
  const http = createHttpTransport(options);
  return {
    invoke: async (call) => {
      const plan = face.calls.get(call.operation);
      if (plan === undefined) {
        throw new A2AError('unsupportedOperation', `${call.operation} does not exist in ${dialect.name}`);
      }
      const taskId = subjectOf(call.request);
      const { message } = call.request as { message?: Message };
      const cx: CodecContext = {
        losses: call.context.notes.losses,
        ...(taskId !== undefined && { taskId }),
        ...(message && { sent: message.messageId }),
      };
      const reply = await request(http, face, plan.method, call, cx);
      if (plan.next === undefined) return reply;
      // Some dialects answer with no more than the id of the task, which is then asked for.
      const id = 'value' in reply ? subjectOf(reply.value) : undefined;
      if (id === undefined) throw new A2AError('invalidAgentResponse', 'The answer does not name the task');
      try {
        const next = await request(http, face, plan.next, { ...call, request: { id } }, { ...cx, taskId: id });
        return joinReplies(plan, reply, next);
      } catch (thrown) {
        if (call.context.signal.aborted || !plan.firstCounts) throw thrown;
        return replyOfFirst(plan, reply, thrown);
      }
    },
    close: () => http.close(),
  };
}

/** Calls one method and reads its answer. */
async function request(
  http: HttpTransport,
  face: JsonRpcBinding,
  method: Method,
  { request, context }: Call,
  cx: CodecContext,
): Promise<Reply> {
  const id = newId();
  const params = encodeRequest(method, request, cx, { dialect: http.dialect.name, strict: http.strict });
  const streaming = method.stream !== undefined;
  const received = await http.send(
    {
      method: 'POST',
      url: http.url,
      mediaType: 'application/json',
      body: JSON.stringify({ jsonrpc: '2.0', id, method: method.name, params }),
      accept: streaming ? 'text/event-stream, application/json' : 'application/json',
      streaming,
    },
    context,
  );
  const { answer } = received;
  const exchange: Exchange = { http, face, method, received, id, cx };
  if (answer.mediaType === 'text/event-stream' && answer.status < 400) {
    const events = readStream(exchange, context);
    return { events: face.stream.refusedAsStream ? await awaitFirst(events) : events };
  }
  return readValue(exchange);
}

/** One method's request under way. */
interface Exchange {
  readonly http: HttpTransport;
  readonly face: JsonRpcBinding;
  readonly method: Method;
  readonly received: ReceivedResponse;
  readonly id: string;
  readonly cx: CodecContext;
}

function readStream({ http, face, method, received, id, cx }: Exchange, context: CallContext) {
  const { answer } = received;
  if (method.stream === undefined) {
    answer.discard();
    throw new A2AError('invalidAgentResponse', `${http.url.href} answered ${method.name} with a stream`);
  }
  const decoder = method.stream.decoder(cx);
  return readEventStream(answer, {
    maxEvent: http.maxEvent,
    context,
    ...(face.stream.closing !== undefined && { closing: face.stream.closing }),
    decode({ event, data }) {
      const name = event === undefined ? {} : { event };
      let payload = data;
      if (face.stream.enveloped) {
        const response = readRpcResponse(data);
        if (response.error !== undefined) throw face.error.decode(response.error, cx);
        checkId(response.id, id);
        payload = (response as { result: unknown }).result;
      }
      // An error that the frame tells of is thrown as it is; what cannot be read is the agent's fault.
      const read = (): readonly StreamResponse[] => decoder.decode({ ...name, data: payload });
      return event === 'error' ? read() : decodeResponse(read);
    },
    end: () => decoder.end?.() ?? [],
  });
}

async function readValue({ http, face, method, received, id, cx }: Exchange): Promise<Reply> {
  const { answer } = received;
  const body = await readBody(received, http.maxAnswer);
  const response = isObject(body.json) ? body.json : {};
  if (response.error !== undefined && response.error !== null) {
    throw refineByStatus(face.error.decode(response.error, cx), answer);
  }
  if (answer.status >= 400) throw errorByStatus(received, body);
  if (body.json === undefined) throw notJson(received, body);
  const { result } = readRpcResponse(body.json) as { result: unknown };
  checkId(response.id, id);
  const { result: codec, stream } = method;
  if (codec !== undefined) return decodeResponse(() => codec.decode(result, cx));
  // Agents that do not stream, whatever their cards say, answer with what the stream would have come to.
  if (stream !== undefined) return { events: streamOf(decodeResponse(() => decodeWhole(stream, cx, result))) };
  throw new A2AError('invalidAgentResponse', `${http.url.href} answered ${method.name} with nothing that is known`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Some servers leave the id out or answer a number with a string; another id is another request's answer. */
function checkId(answered: unknown, asked: string): void {
  if (answered === undefined || answered === null || String(answered) === asked) return;
  throw new A2AError('invalidAgentResponse', 'The answer has the id of another request');
}
