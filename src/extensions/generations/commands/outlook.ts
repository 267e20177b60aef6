import type { AdminClient } from '../../../client/index.ts';
import { v1Dialects } from '../../../core/model/a2a.ts';
import type { GenerationSummary } from '../../../gen/admin-v1/types.ts';

/** A number of the admin service, which leaves out zeros. */
export const countOf = (value: number | string | undefined): number => Number(value ?? 0);

/** A day in UTC. */
export const dayOf = (time: string | undefined): string => (time ?? '').slice(0, 10);

/** How the end of a generation is announced. '': it is not. */
export function announcementOf({ sunset }: GenerationSummary): string {
  if (!sunset) return '';
  const { since, on, mode, refuses } = sunset;
  if (refuses) return `refused since ${dayOf(on)}`;
  return `deprecated since ${dayOf(since)}, ends on ${dayOf(on)}, mode ${mode}`;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** A sentence about the calls that would have been refused if a generation had ended. */
export function outlookOf(summary: GenerationSummary, since: string | undefined): string {
  const { lastAt, sunset } = summary;
  const [calls, callers] = [countOf(summary.calls), countOf(summary.callers)];
  if (calls === 0) return 'no calls were counted';
  const of = `of ${counted(calls, 'call')} by ${counted(callers, 'caller')} since ${dayOf(since)}`;
  const last = `, the last call on ${dayOf(lastAt)}`;
  if (sunset?.refuses) return `${countOf(summary.refused)} ${of} were refused${last}`;
  const rehearsed = sunset && sunset.mode !== 'warn' ? `; rehearsed so far: ${countOf(summary.wouldBeRefused)}` : '';
  return `${countOf(summary.newWork)} ${of} would be refused${last}${rehearsed}`;
}

/** Rows about each generation before A2A 1.0 with new work, and each with a sunset: its name, the calls that its end would refuse today, and how it is announced. */
export async function outlook(admin: AdminClient): Promise<string[][]> {
  const { generations = [], since } = await admin.listGenerations({ pageSize: 1 });
  return generations
    .filter(({ generation, newWork, sunset }) => sunset || (countOf(newWork) > 0 && !v1Dialects.has(generation)))
    .map((one) => [one.generation, outlookOf(one, since), announcementOf(one)]);
}
