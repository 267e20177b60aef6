import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { count } from '../ui/format.ts';
import { Button, Notice, Text } from '../ui/index.ts';
import type { Outcome } from './many.ts';

/** Number of failures that are listed. */
const maxListed = 100;

/**
 * Runs actions on several things, and reports how many were done, and which were not, with the reason.
 *
 * @param nameOf returns the name of one of the things
 * @param onClose called when the report is closed: what is not done yet is left undone
 */
export function useReport<T>(nameOf: (item: T) => JSX.Element, onClose: () => void = () => {}) {
  const report = useSignal<{ done: string; all: number; outcomes: readonly Outcome<T>[] } | undefined>(undefined);
  const run = async (
    done: string,
    items: readonly T[],
    act: (onOutcome: (outcome: Outcome<T>) => void) => Promise<void>,
  ): Promise<void> => {
    const outcomes: Outcome<T>[] = [];
    const show = (): void => {
      report.value = { done, all: items.length, outcomes: [...outcomes] };
    };
    show();
    await act((outcome) => {
      outcomes.push(outcome);
      show();
    });
  };
  const close = (): void => {
    onClose();
    report.value = undefined;
  };
  const { done = '', all = 0, outcomes = [] } = report.value ?? {};
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const open = all - outcomes.length;
  const said = report.value && (
    <Notice severity={failed.length + open > 0 ? 'warning' : 'ok'} action={<Button onClick={close}>Close</Button>}>
      {count(outcomes.length - failed.length)} of {count(all)} {done}
      {failed.length > 0 && `, ${count(failed.length)} not done`}
      {open > 0 && `, ${count(open)} not yet`}.
      <ul aria-label="Not done">
        {failed.slice(0, maxListed).map(({ item, error = '' }, at) => (
          <li key={at}>
            {nameOf(item)}: <Text value={error} max={300} />
          </li>
        ))}
      </ul>
      {failed.length > maxListed && `And ${count(failed.length - maxListed)} more.`}
    </Notice>
  );
  return { run, said };
}
