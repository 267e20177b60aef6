import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { KnowledgeUpdateResponseResult } from '../../../../gen/knowledge-v1/types.ts';
import { useAction } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { Button, Failure, Field, Notice, Select, Text } from '../../ui/index.ts';
import { propose, type Space, type SpaceProps } from './gateway.ts';
import { EntityLink } from './parts.tsx';

const ops = [
  { value: 'add', label: 'Add' },
  { value: 'remove', label: 'Remove' },
  { value: 'replace', label: 'Replace all values' },
];

const kinds = [
  { value: 'resource', label: 'Resource' },
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'Number, true or false' },
];

/** Inputs, by the names of the parameters of the address that can fill them. */
const names = {
  subject: 'Subject',
  subjectType: "Subject's type",
  predicate: 'Predicate',
  object: 'Object',
  objectType: "Object's type, or datatype",
  graph: 'Graph',
  certainty: 'Certainty',
  provenance: 'Provenance (JSON)',
  justification: 'Justification',
  sourceAgentId: 'Source',
} as const;

const hints: Readonly<Record<string, string>> = {
  certainty: 'From 0 to 1.',
  justification: 'Recorded with the change.',
  sourceAgentId: 'Id of the agent, if you act for one.',
};

/** Returns the request for one change. The gateway checks it. @throws SyntaxError for invalid JSON */
function requestOf(entered: Readonly<Record<string, string>>) {
  const texts = Object.entries(entered).map(([name, text]) => [name, text.trim()] as const);
  const filled: Readonly<Record<string, string>> = Object.fromEntries(texts.filter(([, text]) => text !== ''));
  const { op = 'add', kind, subject = '', subjectType, predicate = '', object = '', objectType, graph } = filled;
  const { certainty, provenance, justification, sourceAgentId } = filled;
  const value = kind === 'json' ? JSON.parse(object) : (entered.object ?? '');
  const statement = {
    subject: { id: subject, ...(subjectType && { type: subjectType }) },
    predicate: { id: predicate },
    object: { ...(kind === 'resource' ? { id: object } : { value }), ...(objectType && { type: objectType }) },
    ...(graph && { graph }),
    ...(certainty && { certainty: JSON.parse(certainty) }),
    ...(provenance && { provenance: JSON.parse(provenance) }),
  };
  return {
    mutations: [{ op, statement }],
    ...(justification && { justification }),
    ...(sourceAgentId && { sourceAgentId }),
  };
}

/** Proposes a change, and shows the decision of the rules. */
export function ProposeView({ space }: SpaceProps): JSX.Element {
  const entered = useSignal<Readonly<Record<string, string>>>({
    op: 'add',
    kind: 'resource',
    ...Object.fromEntries(route.peek().query),
  });
  const result = useSignal<KnowledgeUpdateResponseResult | undefined>(undefined);
  const { run, busy, error } = useAction(async (signal) => {
    result.value = undefined;
    result.value = await propose(space, requestOf(entered.peek()), signal);
  });
  const change = (name: string) => (text: string) => (entered.value = { ...entered.value, [name]: text });
  const { op = '', kind = '' } = entered.value;
  return (
    <form
      class="stack"
      aria-label="Proposal"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <div class="proposal">
        <Select label="Change" value={op} options={ops} onChange={change('op')} />
        <Select label="Kind of object" value={kind} options={kinds} onChange={change('kind')} />
        {Object.entries(names).map(([name, label]) => (
          <Field key={name} label={label} value={entered.value[name] ?? ''} onInput={change(name)} hint={hints[name]} />
        ))}
      </div>
      <div class="row">
        <Button type="submit" kind="primary" busy={busy}>
          Propose
        </Button>
        <a href={hrefOf('bench', [], { agent: space.agent, dialect: 'knowledge-1.0', operation: 'Update' })}>
          Several changes at once
        </a>
      </div>
      <div aria-live="polite">
        <Failure error={error} />
        {result.value && <Outcome result={result.value} space={space} />}
      </div>
    </form>
  );
}

function Outcome(props: { readonly result: KnowledgeUpdateResponseResult; readonly space: Space }): JSX.Element {
  const { success, statementsAffected = 0, affectedIds = [], verificationStatus, verificationDetails } = props.result;
  const status = verificationStatus || (success ? 'Applied' : 'Rejected');
  return (
    <Notice severity={!success ? 'error' : /pending/i.test(status) ? 'warning' : 'ok'}>
      <strong>
        <Text value={status} />
      </strong>
      . <Text value={verificationDetails ?? ''} multiline />
      {success && ` Statements that changed: ${statementsAffected}. `}
      {affectedIds.slice(0, 10).map((id) => (
        <EntityLink key={id} space={props.space} id={id} />
      ))}
    </Notice>
  );
}
