import type { Message } from '../../core/model/a2a.ts';
import type { Ask } from '../../core/model/ask.ts';
import type { Call } from '../../core/model/call.ts';
import { answererOf } from '../../core/model/question.ts';
import type { PeopleConfig } from '../../gen/settings.ts';

/** The people of a configuration, asked by a policy or a guard. */
export const askOf = (
  by: string,
  { of, until, otherwise, quorum, self, delegate }: PeopleConfig,
  reason: string | undefined,
): Ask => ({
  by,
  of,
  quorum,
  self,
  wait: until,
  otherwise,
  ...(reason !== undefined && { reason }),
  ...(delegate !== undefined && { delegate }),
});

/** Whether the gateway gives an agent a message that people have agreed to: it acts for a caller that it knows by id. */
export const isRelease = ({ request, context }: Call): boolean =>
  context.principal.byId === true &&
  answererOf((request as { readonly message?: Message }).message)?.releases !== undefined;
