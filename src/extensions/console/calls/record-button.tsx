import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin } from '../gateway/admin.ts';
import { hrefOf, navigate } from '../shell/router.ts';
import { ActionButton, Field, Select } from '../ui/index.ts';

const fields = { agent: 'Agent', principal: 'Caller', taskKey: 'Key of a task' } as const;

/** Filters of the calls to record. '' and absent: any. */
type RecordedOf = { readonly [Name in keyof typeof fields]?: string };

/** A button that begins a recording of the next calls, and opens its page. */
export function RecordButton({ of }: { readonly of: RecordedOf }): JSX.Element {
  const chosen = useSignal(of);
  const calls = useSignal('10');
  return (
    <ActionButton
      operation="Record"
      label="Record calls"
      title="Record the next calls?"
      action="Record"
      act={async (signal) => {
        const request = { ...chosen.value, calls: Number(calls.value) };
        const { recording, missingReplicas = [] } = await admin.call('Record', request, { signal });
        navigate(hrefOf('calls', [], { recording: recording?.id, missing: missingReplicas.join(',') }));
      }}
    >
      What clients and agents send is kept in memory as it is on the wire, without credentials: for ten minutes, or
      until so many calls are recorded.
      {Object.entries(fields).map(([name, label]) => (
        <Field
          key={name}
          label={label}
          value={chosen.value[name as keyof RecordedOf] ?? ''}
          placeholder="any"
          onInput={(text) => (chosen.value = { ...chosen.value, [name]: text.trim() })}
        />
      ))}
      <Select
        label="Calls"
        value={calls.value}
        options={['1', '10', '100']}
        onChange={(next) => (calls.value = next)}
      />
    </ActionButton>
  );
}
