import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { KnowledgeGraphPatch, KnowledgeUpdateResponseResult } from '../../../../gen/knowledge-v1/types.ts';
import { GatewayError } from '../../gateway/error.ts';
import { useAction } from '../../gateway/hooks.ts';
import { Button, Failure, Field, Notice, Select, Text } from '../../ui/index.ts';
import { propose, type Space } from './gateway.ts';
import { EntityLink } from './parts.tsx';
import {
  emptyChange,
  type ObjectKind,
  objectKinds,
  type Problems,
  type ProposedChange,
  patchOf,
  requestOf,
} from './proposal.ts';

/** Most changes in the form. */
const mostChanges = 20;

const ops = [
  { value: 'add', label: 'Add' },
  { value: 'remove', label: 'Remove' },
  { value: 'replace', label: 'Replace' },
];

const kinds = objectKinds.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }));

/** Proposes changes, and tells what the rules say about them. */
export function ProposeView({ space }: { readonly space: Space }): JSX.Element {
  const list = useSignal<readonly ProposedChange[]>([emptyChange]);
  const about = useSignal({ justification: '', sourceAgentId: '' });
  const problems = useSignal<readonly Problems[]>([]);
  const result = useSignal<KnowledgeUpdateResponseResult | undefined>(undefined);
  const { run, busy, error } = useAction(async (signal, patches: readonly KnowledgeGraphPatch[]) => {
    result.value = undefined;
    const answer = await propose(space, requestOf(patches, about.value), signal);
    result.value = answer;
    if (answer.success) list.value = [emptyChange];
  });
  const change = (at: number, patch: Partial<ProposedChange>): void => {
    list.value = list.value.map((one, i) => (i === at ? { ...one, ...patch } : one));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const made = list.value.map(patchOf);
    problems.value = made.map((one) => ('problems' in one ? one.problems : {}));
    const patches = made.flatMap((one) => ('patch' in one ? [one.patch] : []));
    if (patches.length === made.length) run(patches);
  };
  return (
    <form class="stack propose" onSubmit={submit} aria-label="Proposal">
      {list.value.map((one, at) => (
        // A change has no identity but its place.
        <ChangeFields
          key={at}
          index={at}
          change={one}
          problems={problems.value[at] ?? {}}
          onChange={(patch) => change(at, patch)}
          onRemove={
            list.value.length > 1
              ? () => {
                  list.value = list.value.filter((_, i) => i !== at);
                  problems.value = problems.value.filter((_, i) => i !== at);
                }
              : undefined
          }
        />
      ))}
      <div class="row">
        <Button
          onClick={() => (list.value = [...list.value, { ...emptyChange, subject: list.value.at(-1)?.subject ?? '' }])}
          disabled={list.value.length >= mostChanges}
        >
          Add another change
        </Button>
      </div>
      <div class="propose-about">
        <Field
          label="Justification"
          value={about.value.justification}
          onInput={(justification) => (about.value = { ...about.value, justification })}
          hint="Why the changes are proposed. It is recorded with them."
        />
        <Field
          label="Source"
          value={about.value.sourceAgentId}
          onInput={(sourceAgentId) => (about.value = { ...about.value, sourceAgentId })}
          hint="Id of the agent that proposes the changes, if you act for an agent."
        />
      </div>
      <div class="row">
        <Button type="submit" kind="primary" busy={busy}>
          Propose
        </Button>
        <span class="muted">The changes are applied together, or not at all.</span>
      </div>
      <div aria-live="polite">
        <Refusal error={error} />
        {result.value && <Outcome result={result.value} space={space} />}
      </div>
    </form>
  );
}

interface ChangeFieldsProps {
  readonly index: number;
  readonly change: ProposedChange;
  readonly problems: Problems;
  readonly onChange: (patch: Partial<ProposedChange>) => void;
  readonly onRemove: (() => void) | undefined;
}

function ChangeFields({ index, change, problems, onChange, onRemove }: ChangeFieldsProps): JSX.Element {
  const field = (name: keyof ProposedChange, label: string, more: Partial<Parameters<typeof Field>[0]> = {}) => (
    <Field
      label={label}
      value={change[name]}
      onInput={(value) => onChange({ [name]: value })}
      error={problems[name]}
      {...more}
    />
  );
  return (
    <fieldset class="panel change-fields">
      <legend class="visually-hidden">Change {index + 1}</legend>
      <Select
        label="Change"
        value={change.op}
        options={ops}
        onChange={(op) => onChange({ op: op as ProposedChange['op'] })}
        {...(change.op === 'replace' && { hint: 'Replaces all statements with this subject, predicate and graph.' })}
      />
      {field('subject', 'Subject')}
      {field('predicate', 'Predicate')}
      <Select
        label="Kind of object"
        value={change.objectKind}
        options={kinds}
        onChange={(kind) => onChange({ objectKind: kind as ObjectKind })}
      />
      {field('object', change.objectKind === 'resource' ? 'Object' : 'Value')}
      {field('certainty', 'Certainty', { placeholder: '0 to 1' })}
      <details class="change-more">
        <summary>Types, graph and provenance</summary>
        <div class="change-fields">
          {field('subjectType', "Subject's type")}
          {field('objectType', change.objectKind === 'resource' ? "Object's type" : 'Datatype')}
          {field('graph', 'Graph', { placeholder: 'the default graph' })}
          {field('provenance', 'Provenance (JSON)', { rows: 2, mono: true })}
        </div>
      </details>
      {onRemove && (
        <Button kind="quiet" icon="close" onClick={onRemove}>
          Remove change {index + 1}
        </Button>
      )}
    </fieldset>
  );
}

/** The rules say why a change is forbidden; what else fails is said as it is. */
const Refusal = ({ error }: { readonly error: unknown }): JSX.Element =>
  error instanceof GatewayError && error.reason.includes('ALIGNMENT') ? (
    <Notice severity="error">
      <strong>Forbidden.</strong> <Text value={error.message} multiline />
    </Notice>
  ) : (
    <Failure error={error} />
  );

function Outcome(props: { readonly result: KnowledgeUpdateResponseResult; readonly space: Space }): JSX.Element {
  const { result, space } = props;
  const {
    success,
    statementsAffected = 0,
    affectedIds = [],
    verificationStatus = '',
    verificationDetails = '',
  } = result;
  const severity = !success ? 'error' : /pending/i.test(verificationStatus) ? 'warning' : 'ok';
  return (
    <Notice severity={severity}>
      <p>
        <strong>
          <Text value={verificationStatus || (success ? 'Applied' : 'Rejected')} />
        </strong>
        . <Text value={verificationDetails} multiline />
      </p>
      {success && (
        <p>
          Statements that changed: {statementsAffected}.{' '}
          {affectedIds.slice(0, 10).map((id) => (
            <span key={id} class="affected">
              <EntityLink space={space} id={id} />
            </span>
          ))}
        </p>
      )}
    </Notice>
  );
}
