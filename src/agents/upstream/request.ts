import type { SendMessageRequest } from '../../core/model/a2a.ts';
import type { UpstreamTask } from '../../core/model/agent.ts';
import { messageWithIds } from './ids.ts';

/**
 * The request for the agent: the caller's, under the agent's ids for the task and context as far as they are known. All
 * fields are passed on, including those that later versions of A2A add, except what the gateway does itself: tenants,
 * push notifications, the length of histories and waiting.
 *
 * @param upstream the agent's ids; '' for an unknown one
 * @param tasks the agent's ids of the tasks that the message refers to
 */
export function requestToUpstream(
  { tenant: _tenant, message, configuration, ...others }: SendMessageRequest,
  upstream: UpstreamTask,
  tasks: ReadonlyMap<string, string>,
): SendMessageRequest {
  const {
    taskPushNotificationConfig: _push,
    historyLength: _length,
    returnImmediately: _wait,
    ...passedOn
  } = configuration ?? {};
  const ids = {
    ...(upstream.id !== '' && { taskId: upstream.id }),
    ...(upstream.contextId !== '' && { contextId: upstream.contextId }),
  };
  return {
    message: messageWithIds(message, ids, tasks),
    ...(Object.keys(passedOn).length > 0 && { configuration: passedOn }),
    ...others,
  };
}
