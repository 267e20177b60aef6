import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { isObject } from '../../../../core/model/json.ts';
import { samplingMethod } from '../sampling.ts';
import { rootsResult } from '../tool-server.ts';
import { currentCall, type PendingCall } from './fetch.ts';

function logText({ data, logger }: { readonly data: unknown; readonly logger?: string | undefined }): string {
  const said = isObject(data) && typeof data.message === 'string' ? data.message : data;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  return logger ? `${logger}: ${text}` : text;
}

/**
 * Answers the server's requests during a call, and passes on its log messages.
 *
 * @param calls the unanswered calls
 * @param roots answer to `roots/list`; absent: the request is refused
 * @param sampling whether `sampling/createMessage` is answered
 * @returns a function that finds the tool call to which a message from the server belongs
 */
export function serveRequests(
  client: Client,
  calls: ReadonlySet<PendingCall>,
  { roots, sampling = false }: { readonly roots?: readonly string[] | undefined; readonly sampling?: boolean },
): () => PendingCall | undefined {
  /**
   * Over HTTP, returns the call whose response carries the message. Output of a program names no call: it belongs to
   * the only call or, if all calls are by one caller, to the only one that is not asking yet. A question thus never
   * reaches another caller.
   */
  const callOf = (): PendingCall | undefined => {
    const current = currentCall.getStore();
    if (current?.onAsk && !current.opens) return current;
    const all = [...calls].filter(({ onAsk }) => onAsk);
    const callers = new Set(all.map(({ facts }) => facts?.caller));
    const free = all.length === 1 || callers.size > 1 ? all : all.filter(({ asking }) => asking === 0);
    return free.length === 1 ? free[0] : undefined;
  };
  client.setNotificationHandler('notifications/message', ({ params }) => callOf()?.onLog?.(logText(params)));
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const refuse = (why: string): never => {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, why);
    };
    if (method === 'roots/list' && roots) return rootsResult(roots);
    if (method !== 'elicitation/create' && !(sampling && method === samplingMethod))
      return refuse(`The configuration of this gateway does not allow ${method}`);
    const onAsk = callOf()?.onAsk;
    if (onAsk) return onAsk({ method, params: { ...params } }, mcpReq.signal);
    return refuse('Cannot ask: the question belongs to no tool call, or several are under way and it names none');
  };
  return callOf;
}
