import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { settings } from '../gateway/settings.ts';
import { Button, Notice } from '../ui/basic.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Select } from '../ui/field.tsx';
import { type Credential, credential, refusal, signIn, signingIn } from './session.ts';

const kinds = [
  { value: 'apiKey', label: 'API key' },
  { value: 'bearer', label: 'Bearer token' },
] as const;

/** The dialog that asks for a credential, with the gateway's reason. */
export function SignIn(): JSX.Element {
  const { apiKeyHeader, bearer = true, madeKey } = settings.value ?? {};
  const possible = kinds.filter(({ value }) => (value === 'bearer' ? bearer : apiKeyHeader !== undefined));
  const options = possible.length === 0 ? kinds : possible;
  const chosen = useSignal<Credential['kind'] | undefined>(undefined);
  const value = useSignal('');
  const kind = chosen.value ?? options[0]?.value ?? 'apiKey';
  const reason = refusal.value;
  const close = (): void => {
    value.value = '';
    signingIn.value = false;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = value.value.trim();
    if (text === '') return;
    value.value = '';
    signIn({ kind, value: text });
  };
  return (
    <Dialog title="Sign in" open={signingIn.value} onClose={close}>
      <form onSubmit={submit} class="stack">
        {reason && (
          <Notice severity="warning">
            {reason.status === 403 || credential.value ? reason.message : 'The gateway wants to know who you are.'}
          </Notice>
        )}
        {madeKey && (
          <p>
            The gateway makes a new key at each start. Open the address of the console that it printed, or enter the key
            in it.
          </p>
        )}
        {options.length > 1 && (
          <Select
            label="Kind of credential"
            value={kind}
            options={options}
            onChange={(next) => (chosen.value = next as Credential['kind'])}
          />
        )}
        <Field
          label={kind === 'bearer' ? 'Bearer token' : 'API key'}
          type="password"
          value={value.value}
          onInput={(text) => (value.value = text)}
          mono
          autofocus
          hint="Kept in this tab until it is closed. The console shows what the scopes admin and admin:read allow."
        />
        <div class="row-end">
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={value.value.trim() === ''}>
            Sign in
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
