import type { SendMessageConfiguration, SendMessageRequest } from '../../core/model/a2a.ts';
import type { UpstreamTask } from '../../core/model/agent.ts';
import { messageWithIds } from './ids.ts';

/**
 * A caller's request as it goes to the upstream: under the upstream's ids, for the message's task and context as far as
 * they are known there. What the gateway does itself (push notifications, the length of histories, waiting) is not asked
 * for.
 *
 * @param there '' for what is not known there
 * @param tasks ids there of the tasks that the message refers to
 */
export function outgoing(
  request: SendMessageRequest,
  there: UpstreamTask,
  tasks: ReadonlyMap<string, string>,
): SendMessageRequest {
  const { acceptedOutputModes } = request.configuration ?? {};
  const configuration: SendMessageConfiguration | undefined = acceptedOutputModes && { acceptedOutputModes };
  const ids = {
    ...(there.id !== '' && { taskId: there.id }),
    ...(there.contextId !== '' && { contextId: there.contextId }),
  };
  return {
    message: messageWithIds(request.message, ids, tasks),
    ...(configuration && { configuration }),
    ...(request.metadata && { metadata: request.metadata }),
  };
}
