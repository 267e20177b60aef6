import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { Field as FieldRow, FieldTables } from '../../../../../gen/api.ts';
import { bytes } from '../../../ui/format.ts';
import { Button, Field, Select } from '../../../ui/index.ts';
import {
  enumLabel,
  enumNames,
  type FormRow,
  isSimple,
  labelOf,
  newItem,
  newValue,
  type Path,
  parseControl,
  partOf,
  rowsOf,
  textOfField,
} from '../../../wire/form.ts';

/** A form for a request, made from the tables of its fields. */

interface MessageProps {
  readonly tables: FieldTables;
  readonly type: string;
  readonly value: Record<string, unknown>;
  readonly path: Path;
  /** Called with a new value; undefined removes the one at the path. */
  readonly onChange: (path: Path, value: unknown) => void;
  /** Whether it is the request itself. */
  readonly whole?: boolean;
}

/** The fields of a message. */
export function MessageForm({ tables, type, value, path, onChange, whole = false }: MessageProps): JSX.Element {
  const { shown, more } = rowsOf(tables, type, value, whole);
  const shared = { tables, type, value, path, onChange };
  return (
    <div class="try-fields">
      {shown.map((row) =>
        row.kind === 'field' ? (
          <FieldControl key={row.field.jsonName} {...shared} field={row.field} />
        ) : (
          <Choice key={row.oneof.name} {...shared} row={row} />
        ),
      )}
      {more.length > 0 && (
        <div class="try-more try-wide">
          <Select
            label={path.length === 0 ? 'Add a field' : `Add a field to ${placeOf(path)}`}
            hideLabel
            value=""
            none="Add a field…"
            options={more.map(({ jsonName }) => ({ value: jsonName, label: labelOf(jsonName) }))}
            onChange={(name) => {
              const field = more.find(({ jsonName }) => jsonName === name);
              if (field) onChange([...path, name], newValue(tables, field));
            }}
          />
        </div>
      )}
    </div>
  );
}

/** Describes the place of a message: `message, part 1`. */
const placeOf = (path: Path): string =>
  path.map((step) => (typeof step === 'number' ? String(step + 1) : labelOf(step).toLowerCase())).join(' ');

interface ControlProps extends Omit<MessageProps, 'whole'> {
  readonly field: FieldRow;
  /** Label in place of the field's name. */
  readonly label?: string;
}

/** The member of a oneof: the chosen field, and its value. */
function Choice({
  row,
  ...shared
}: Omit<ControlProps, 'field'> & { readonly row: Extract<FormRow, { kind: 'choice' }> }) {
  const { tables, path, onChange } = shared;
  const { oneof, fields, chosen } = row;
  const change = (name: string): void => {
    const field = fields.find(({ jsonName }) => jsonName === name);
    const { [chosen?.jsonName ?? '']: _, ...rest } = shared.value;
    const next = field ? { ...rest, [name]: newItem(tables, field) } : rest;
    onChange(path, next);
  };
  return (
    <div class="try-choice try-wide">
      <Select
        label={labelOf(oneof.name)}
        value={chosen?.jsonName ?? ''}
        options={fields.map(({ jsonName }) => ({ value: jsonName, label: labelOf(jsonName) }))}
        onChange={change}
      />
      {chosen && <FieldControl {...shared} field={chosen} />}
    </div>
  );
}

/** Texts that are written in several lines. */
const prose: ReadonlySet<string> = new Set(['text', 'query', 'description']);

function FieldControl(props: ControlProps): JSX.Element {
  const { tables, type, field, value, path, onChange, label = labelOf(field.jsonName) } = props;
  const hint = textOfField(type, field.jsonName);
  const at = [...path, field.jsonName];
  const current = value[field.jsonName];
  if (field.repeated) return <ListControl {...props} label={label} />;
  if (field.kind === 'message') {
    return (
      <Group field={field} label={label} onRemove={() => onChange(at, undefined)}>
        <MessageForm
          tables={tables}
          type={field.type}
          value={(current ?? {}) as Record<string, unknown>}
          path={at}
          onChange={onChange}
        />
      </Group>
    );
  }
  if (field.kind === 'bytes') return <BytesControl {...props} label={label} />;
  if (!isSimple(field)) return <JsonControl {...props} label={label} />;
  if (field.kind === 'enum') {
    return (
      <Select
        label={label}
        hint={hint}
        value={typeof current === 'string' ? current : ''}
        none="not given"
        options={enumNames(tables, field.type).map((name) => ({ value: name, label: enumLabel(field.type, name) }))}
        onChange={(next) => onChange(at, next === '' ? undefined : next)}
      />
    );
  }
  if (field.type === 'bool') {
    return (
      <label class="try-check" title={hint}>
        <input
          type="checkbox"
          checked={current === true}
          onChange={(event) => onChange(at, event.currentTarget.checked || undefined)}
        />
        {label}
      </label>
    );
  }
  return (
    <Field
      label={label}
      hint={hint}
      value={current === undefined || current === null ? '' : String(current)}
      onInput={(text) => onChange(at, parseControl(field, text))}
      {...(prose.has(field.jsonName) && { rows: field.jsonName === 'query' ? 5 : 3 })}
      {...(field.kind === 'timestamp' && { placeholder: '2026-01-31T12:00:00Z' })}
      {...(field.kind === 'duration' && { placeholder: '1.5s' })}
      mono={/(?:^id|Id|Token)$/.test(field.jsonName)}
    />
  );
}

const Remove = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }): JSX.Element => (
  <Button kind="quiet" icon="close" label={`Remove ${label.toLowerCase()}`} onClick={onClick} />
);

interface GroupProps {
  readonly field: FieldRow;
  readonly label: string;
  readonly onRemove: () => void;
  readonly children: ComponentChildren;
}

/** A group of controls, which one click removes if they are optional. */
const Group = ({ field, label, onRemove, children }: GroupProps): JSX.Element => (
  <fieldset class="try-message try-wide">
    <legend>
      {label}
      {!field.required && <Remove label={label} onClick={onRemove} />}
    </legend>
    {children}
  </fieldset>
);

/** A list: messages in a box each, other values in a line each. */
function ListControl(props: ControlProps): JSX.Element {
  const { tables, type, field, value, path, onChange, label = '' } = props;
  const at = [...path, field.jsonName];
  const items = (value[field.jsonName] ?? []) as readonly unknown[];
  if (field.kind !== 'message') {
    const isText = field.kind === 'scalar' || field.kind === 'enum';
    if (!isText) return <JsonControl {...props} />;
    return (
      <Field
        label={`${label}, one per line`}
        hint={textOfField(type, field.jsonName)}
        rows={Math.min(6, Math.max(2, items.length + 1))}
        value={items.join('\n')}
        onInput={(text) => onChange(at, text === '' ? undefined : text.split('\n'))}
      />
    );
  }
  const one = label.replace(/s$/, '').toLowerCase();
  return (
    <Group field={field} label={label} onRemove={() => onChange(at, undefined)}>
      {items.map((item, index) => (
        <div class="try-item" key={index} role="group" aria-label={`${label} ${index + 1}`}>
          <MessageForm
            tables={tables}
            type={field.type}
            value={(item ?? {}) as Record<string, unknown>}
            path={[...at, index]}
            onChange={onChange}
          />
          <Remove label={`${one} ${index + 1}`} onClick={() => onChange([...at, index], undefined)} />
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...at, items.length], newItem(tables, field))}>Add {one}</Button>
      </div>
    </Group>
  );
}

/** Bytes read from a file. Its name and type go to the neighbouring fields. */
function BytesControl({ field, value, path, onChange, label = '' }: ControlProps): JSX.Element {
  const current = String(value[field.jsonName] ?? '');
  const read = async (file: File | undefined): Promise<void> => {
    if (file) onChange(path, { ...value, ...(await partOf(file)) });
  };
  return (
    <div class="field">
      <label>
        <span class="try-label">{label}</span>
        <input class="input" type="file" onChange={(event) => void read(event.currentTarget.files?.[0])} />
      </label>
      <div class="muted">
        {current === '' ? 'No file is chosen' : `${bytes(Math.floor((current.length * 3) / 4))} as base64`}
      </div>
    </div>
  );
}

/** A value of any shape, as JSON. Invalid text stays in the control, with its error. */
function JsonControl({ type, field, label, value: message, path, onChange }: ControlProps): JSX.Element {
  const value = message[field.jsonName];
  const draft = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const text = draft.value ?? (value === undefined ? '' : JSON.stringify(value, undefined, 2));
  const change = (next: string): void => {
    draft.value = next;
    try {
      onChange([...path, field.jsonName], parseControl({ ...field, kind: 'value' }, next));
      error.value = undefined;
    } catch (thrown) {
      error.value = (thrown as Error).message;
    }
  };
  return (
    <Field
      label={`${label} (JSON)`}
      hint={textOfField(type, field.jsonName)}
      rows={Math.min(10, Math.max(2, text.split('\n').length))}
      mono
      value={text}
      onInput={change}
      error={error.value}
    />
  );
}
