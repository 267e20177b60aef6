import type { JSX } from 'preact';
import type { ErrorKind } from '../../../../core/model/errors.ts';
import type { CallSummary } from '../../gateway/admin.ts';
import { hrefOf } from '../../shell/router.ts';
import { Text } from '../../ui/index.ts';
import { hints } from '../../wire/explain.ts';

/** Hints for an operator, who is not the caller, in place of those for the caller. */
const ofOperator: Readonly<Partial<Record<ErrorKind, string>>> = {
  unauthenticated: 'The request had no valid credential of this gateway: see auth in the configuration.',
  permissionDenied:
    'The caller lacks the scope, the agent or the tenant: see its credential in auth of the configuration.',
};

const configuration = hrefOf('gateway', [], { view: 'configuration' });
const decisions = hrefOf('gateway', [], { view: 'policies' });

/** Advice about a refused call: which policy, guard or stop has refused it, or what its error means. */
export function Advice({ call: { error, refusedBy = '' } }: { readonly call: CallSummary }): JSX.Element {
  const [kind, name = ''] = refusedBy.split(' ', 2);
  if (kind === 'stop') {
    return (
      <>
        An operator has stopped the caller, the agent or the tree of tasks. <a href={stops}>Stops</a> has a button that
        undoes it.
      </>
    );
  }
  if (kind === 'policy' || kind === 'guard') {
    return (
      <>
        The {kind}{' '}
        <a href={decisions}>
          <Text value={name} mono />
        </a>{' '}
        has refused the call, and not the caller’s credential. To let such calls pass, change the {kind} in the{' '}
        <a href={configuration}>configuration</a>; <code>a2a-gateway {kind} test</code> tries a change before it is
        active.
      </>
    );
  }
  return <>{ofOperator[error as ErrorKind] ?? hints[error as ErrorKind]}</>;
}

const stops = hrefOf('gateway', [], { view: 'stops' });
