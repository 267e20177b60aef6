import type { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { AdminHandlers } from '../handlers.ts';
import type { AdminHost } from '../host.ts';
import { partsOf } from '../requests.ts';
import { taskOf } from '../subjects.ts';

export interface TaskActionsDeps extends Pick<AdminHost, 'store' | 'detailsOf'> {
  readonly onBehalf: Pick<ReturnType<typeof onBehalfOfOwners>, 'cancel' | 'send'>;
}

/** Operations with which an operator acts on any caller's task, on behalf of that caller. */
export function taskActions(deps: TaskActionsDeps): AdminHandlers<'StopTask' | 'AnswerTask'> {
  const { detailsOf, onBehalf } = deps;
  return {
    async StopTask({ key }, context, facts) {
      await onBehalf.cancel(await taskOf(deps, key, facts), context);
      return { value: await detailsOf(key, context) };
    },

    async AnswerTask({ key, parts }, context, facts) {
      const content = partsOf(parts);
      await onBehalf.send(await taskOf(deps, key, facts), content, context);
      return { value: await detailsOf(key, context) };
    },
  };
}
