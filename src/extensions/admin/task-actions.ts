import { api, type Part } from '../../core/model/a2a.ts';
import type { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import { parseAs } from '../../wire/validate.ts';
import type { AdminHandlers } from '../handlers.ts';
import { fault } from '../requests.ts';
import { taskOf } from '../subjects.ts';
import { detailsOf, type TaskHandlersDeps } from './tasks.ts';

export interface TaskActionsDeps extends Pick<TaskHandlersDeps, 'store' | 'limits' | 'traces' | 'hidesWords'> {
  readonly onBehalf: ReturnType<typeof onBehalfOfOwners>;
  /** Removes the gateway's own metadata, which callers cannot set. */
  readonly strip: (part: Part) => Part;
}

export const partType = 'lf.a2a.v1.Part';

/** The parts of a message, as the request has them. Throws `invalidParams`. */
export function readParts({ strip }: Pick<TaskActionsDeps, 'strip'>, parts: readonly object[]): Part[] {
  if (parts.length === 0) throw fault('parts', 'must have at least one part');
  return parts.map((part, i) => strip(parseAs(api, partType, part, `parts[${i}]`)));
}

/** The operations that act on a task of any caller, on behalf of the caller. */
export function taskActions(deps: TaskActionsDeps): AdminHandlers<'StopTask' | 'AnswerTask'> {
  const { onBehalf } = deps;
  return {
    async StopTask({ key }, context, facts) {
      await onBehalf.cancel(await taskOf(deps, key, facts), context);
      return { value: await detailsOf(deps, key, context) };
    },

    async AnswerTask({ key, parts }, context, facts) {
      const content = readParts(deps, parts);
      await onBehalf.send(await taskOf(deps, key, facts), content, context);
      return { value: await detailsOf(deps, key, context) };
    },
  };
}
