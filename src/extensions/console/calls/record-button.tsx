import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin } from '../gateway/admin.ts';
import { hrefOf, navigate } from '../shell/router.ts';
import { ActionButton, Select, Text } from '../ui/index.ts';

/** Filters of the calls to record. '' and absent: any. */
interface RecordedOf {
  readonly agent?: string;
  readonly principal?: string;
  readonly taskKey?: string;
}

/** Names the calls of a recording. */
export const textOf = ({ agent, principal, taskKey }: RecordedOf): string =>
  [agent && `agent ${agent}`, principal && `caller ${principal}`, taskKey && `task ${taskKey}`]
    .filter(Boolean)
    .join(', ') || 'all agents and callers';

/** A button that begins a recording of the next calls, and opens its page. */
export function RecordButton({ of }: { readonly of: RecordedOf }): JSX.Element {
  const calls = useSignal('10');
  return (
    <ActionButton
      operation="Record"
      label="Record calls"
      title="Record the next calls?"
      action="Record"
      act={async (signal) => {
        const request = { ...of, calls: Number(calls.value) };
        const { recording, missingReplicas = [] } = await admin.call('Record', request, { signal });
        navigate(hrefOf('calls', [], { recording: recording?.id, missing: missingReplicas.join(',') }));
      }}
    >
      What clients and agents send is kept in memory as it is on the wire, without credentials: for ten minutes, or
      until so many calls are recorded.
      <p>
        Calls of: <Text value={textOf(of)} mono />
      </p>
      <Select
        label="Calls"
        value={calls.value}
        options={['1', '10', '100']}
        onChange={(next) => (calls.value = next)}
      />
    </ActionButton>
  );
}
