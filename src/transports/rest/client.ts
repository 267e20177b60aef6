import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import {
  decodeFrame,
  encodeRequest,
  errorIn,
  errorInFrame,
  isEvent,
  isEventOf,
  subjectOf,
} from '../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import { subjectsIn } from '../../dialects/kernel/document-forms.ts';
import { isA2AError } from '../../dialects/kernel/errors.ts';
import { createRequestWriter } from '../../dialects/kernel/http-request.ts';
import { Salvage } from '../../dialects/kernel/salvage.ts';
import { markUntried } from '../../net/network-errors.ts';
import { withFacts } from '../../net/nothing-ran.ts';
import { joinQueries } from '../../net/url-query.ts';
import { type ClientTransport, createHttpTransport, type HttpTransportOptions } from '../outbound/http-transport.ts';
import { readReply } from '../outbound/reply.ts';
import { decodeResponse, errorByStatus, httpFacts, notJson, refineByStatus } from '../outbound/response-body.ts';

/**
 * A client of an agent's HTTP+JSON interface, with the routes of its dialect.
 *
 * Its `invoke` rejects with the agent's A2AError; `unsupportedOperation` when the dialect has no such route; `invalidParams`
 * when a part of the URL is missing; `upstreamUnreachable`, `upstreamTimeout`, `canceled` or `deadlineExceeded`;
 * `invalidAgentResponse` for an invalid answer.
 *
 * @throws A2AError `invalidParams` for an invalid URL; TypeError when the dialect has no HTTP+JSON binding
 */
export function createRestClient(options: HttpTransportOptions): ClientTransport {
  const { dialect, strict = false, quirks } = options;
  const binding = dialect.rest;
  if (binding === undefined) throw new TypeError(`${dialect.name} has no HTTP+JSON binding`);
  const http = createHttpTransport(options);
  const writer = createRequestWriter(binding);
  const base = trimEnd(http.url.pathname, '/');

  return {
    async invoke({ operation, request, context }) {
      const method = writer.methodOf(operation);
      if (method === undefined) {
        throw markUntried(new A2AError('unsupportedOperation', `${operation} does not exist in ${dialect.name}`));
      }
      const cx: CodecContext = {
        losses: context.notes.losses,
        ...(quirks && { peerSoftware: { quirks: quirks() } }),
        ...(!strict &&
          !dialect.exact && { salvage: new Salvage(context.notes.losses, binding.tables, subjectOf(request)) }),
      };
      const encoded = encodeRequest(method, request, cx, { dialect: dialect.name, strict });
      const { verb, path, query, body } = writer.write(operation, encoded);
      const url = new URL(http.url);
      url.pathname = base + path;
      url.search = joinQueries(query, http.url.search.slice(1));
      // URLs lose segments that consist of dots, however they are encoded. The request would be a different one.
      if (url.pathname !== base + path) throw A2AError.invalidParams(`${path} cannot be part of a URL`);

      const streaming = method.stream !== undefined;
      const accept = `${streaming ? 'text/event-stream, ' : ''}${binding.mediaType}, application/json`;
      const content = body === undefined ? {} : { mediaType: binding.mediaType, body };
      const received = await http.send({ method: verb, url, ...content, accept, streaming }, context);
      return readReply(received, {
        method,
        cx,
        context,
        maxAnswer: http.maxAnswer,
        onSkipped: http.onSkipped,
        isAnswer: (frame) =>
          method.stream === undefined
            ? isObject(frame.data)
            : errorIn(frame.data) !== undefined || frame.event === 'error' || isEventOf(method.stream, frame),
        decodeFrame(decoder, frame) {
          const error = errorInFrame(binding, frame, cx);
          if (error) throw error;
          return decodeResponse(() => decodeFrame(decoder, frame, cx));
        },
        readValue(answered) {
          const { json } = answered;
          const { status } = received.answer;
          // An agent that writes a task has done its work, whatever the status says.
          if (status >= 400 && !(cx.salvage && isTaskOrMessage(json))) {
            const { answer } = received;
            const facts = httpFacts(answer, isErrorOfAgent(json));
            if (errorIn(json) === undefined && !hasMessage(json))
              throw withFacts(errorByStatus(received, answered), facts);
            throw withFacts(refineByStatus(binding.error.decode({ status, body: json }, cx), answer), facts);
          }
          // Only what is deleted may be answered without content.
          if (json === undefined && !(answered.isEmpty && verb === 'DELETE')) throw notJson(received, answered);
          const said = errorTextIn(json);
          if (said !== undefined) throw new A2AError('agentError', `The agent reports an error: ${said}`);
          return json ?? {};
        },
      });
    },
    close: () => http.close(),
  };
}

/** Whether an error has the form of an agent's. Frameworks and proxies that have nothing at a path say so without a code. */
const isErrorOfAgent = (body: unknown): boolean =>
  isA2AError(body) || errorIn(body) !== undefined || (isObject(body) && body.code !== undefined);

/** The error in a body that has nothing else, although its status says that all is well. */
function errorTextIn(body: unknown): string | undefined {
  if (!isObject(body) || body.error === undefined || body.error === null || subjectsIn(body).length > 0)
    return undefined;
  const { error } = body;
  const text = isObject(error) ? error.message : error;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

const isTaskOrMessage = (body: unknown): boolean =>
  errorIn(body) === undefined && !hasMessage(body) && isEvent(body) && subjectsIn(body).length > 0;

/** Whether a body has at least a message, as errors of older servers do. */
const hasMessage = (body: unknown): boolean => isObject(body) && typeof body.message === 'string';
