import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type Stop } from '../gateway/admin.ts';
import { type Read, useRead } from '../gateway/hooks.ts';
import { notReached } from '../shell/facts.ts';
import { ActionButton, Field, Notice, Text, Time } from '../ui/index.ts';

/** Effect of a stop at every replica, as shown in the question, and the operations that set and undo it. */
const kinds = {
  caller: {
    stop: 'StopCaller',
    resume: 'ResumeCaller',
    label: 'Stop caller',
    means: 'Its tasks end, and its calls are refused with the reason, until this is undone.',
    request: (principal: string) => ({ principal }),
  },
  agent: {
    stop: 'StopAgent',
    resume: 'ResumeAgent',
    label: 'Stop agent',
    means: 'Its tasks end, and new calls of it are refused with the reason, until this is undone.',
    request: (name: string) => ({ name }),
  },
  root: {
    stop: 'StopRoot',
    resume: 'ResumeRoot',
    label: 'Stop tree',
    means:
      'The task that a caller began ends with all tasks that it led to, also at other gateways, and agents in it can call no others.',
    request: (key: string) => ({ key }),
  },
} as const;

type Kind = keyof typeof kinds;

/** Reads all stops. */
export const useStops = (): Read<readonly Stop[]> =>
  useRead(async (signal) => (await admin.call('ListStops', {}, { signal })).stops ?? [], { every: 5_000 });

interface StopButtonProps {
  readonly kind: Kind;
  /** Id of the principal, name of the agent, or key of a task. */
  readonly subject: string;
  readonly isStopped: boolean;
  readonly onChanged: () => void;
}

/** A button that stops something, with a reason; or undoes that. */
export function StopButton({ kind, subject, isStopped, onChanged }: StopButtonProps): JSX.Element {
  const reason = useSignal('');
  const { stop, resume, label, means, request } = kinds[kind];
  const change = async (operation: typeof stop | typeof resume, more: object, signal: AbortSignal): Promise<void> => {
    const { missing = [] } = await admin.call(operation, { ...request(subject), ...more } as never, { signal });
    // The button may be gone by now.
    notReached.value = missing;
    reason.value = '';
    onChanged();
  };
  if (isStopped) {
    return (
      <ActionButton
        key="undo"
        operation={resume}
        label="Undo the stop"
        title={`Undo the stop of ${subject}?`}
        act={(signal) => change(resume, {}, signal)}
      >
        Calls are accepted again at every replica. Tasks that have ended stay ended.
      </ActionButton>
    );
  }
  return (
    <ActionButton
      key="stop"
      operation={stop}
      label={label}
      title={`${label} ${subject}?`}
      danger
      ready={reason.value.trim() !== ''}
      act={(signal) => change(stop, { reason: reason.value }, signal)}
    >
      {means}
      <Field
        label="Reason"
        value={reason.value}
        hint="Callers get it in their errors."
        autofocus
        onInput={(text) => (reason.value = text)}
      />
    </ActionButton>
  );
}

/** Notice that something is stopped, with the operator, the time and the reason. */
export function Stopped({ of }: { readonly of: Stop | undefined }): JSX.Element | null {
  if (!of) return null;
  return (
    <Notice severity="error">
      Stopped <Time at={of.stoppedAt} /> by <Text value={of.stoppedBy ?? ''} mono />:{' '}
      <Text value={of.reason ?? ''} max={500} />
    </Notice>
  );
}
