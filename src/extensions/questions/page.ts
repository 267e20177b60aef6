import { createHash } from 'node:crypto';
import { type Field, fieldsOf, written } from '../../core/model/answer-form.ts';
import type { FieldViolation } from '../../core/model/errors.ts';
import type { Question } from '../../core/model/question.ts';
import { shortened } from '../../core/model/text.ts';
import { escapeHtml } from '../../wire/html.ts';
import type { OpenLink, ShownCall } from './links.ts';

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:2.5rem auto;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.25rem}.text{white-space:pre-wrap;font-size:1.1rem}.muted,small{color:light-dark(#5b6270,#a3aab8)}
label,legend{font-weight:600}small,.fault{display:block}.fault{color:light-dark(#b3261e,#ffb4ab)}
.field,fieldset{margin:0 0 1.25rem;padding:0;border:0}fieldset label{display:block;font-weight:400}
input:not([type=checkbox]),select,textarea{font:inherit;box-sizing:border-box;width:100%;padding:.4rem .5rem}
button{font:inherit;padding:.45rem 1.1rem;margin-right:.5rem}`;

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Headers of every answer below `/questions/`: what agents wrote becomes no script and no markup, and neither a cache, another
 * page nor a search engine learns the link.
 */
export const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ...['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer', 'Cache-Control', 'no-store'],
  ...['X-Robots-Tag', 'noindex', 'Cross-Origin-Opener-Policy', 'same-origin', 'Vary', 'Accept'],
];

/** Most characters of a question on the page. */
const mostText = 16 * 1024;

/** Returns a page without a question, with a text about the result. */
export const outcomePage = (title: string, text: string): string =>
  document(title, `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>`);

/** Submitted form, and the reason for its refusal. */
export interface RefusedForm {
  readonly form: URLSearchParams;
  readonly message: string;
  readonly violations: readonly FieldViolation[];
}

/** Returns a page with a question and a form for its answer. It needs no script. */
export function questionPage(
  agent: string,
  question: OpenLink['question'],
  refused?: RefusedForm,
  call?: ShownCall,
): string {
  const { text, schema, until } = question;
  const by = question.by ?? `The agent ${agent}`;
  const shown = shortened(text, mostText);
  const all = fieldsOf(schema);
  // If the question is about a call, its first field is the buttons.
  const decision = call && all[0];
  const fields = decision ? all.slice(1) : all;
  const faultsOf = ({ path }: Field): readonly string[] =>
    (refused?.violations ?? []).flatMap(({ field, description }) =>
      field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`) ? [description] : [],
    );
  const inputs = fields.map((field) => inputOf(field, refused?.form, faultsOf(field)));
  const unplaced = refused && !fields.some((field) => faultsOf(field).length > 0);
  return document(
    `${by} asks`,
    `<h1>${escapeHtml(by)} asks</h1>
<p class="text" dir="auto">${escapeHtml(shown)}</p>
${call ? callOf(agent, call) : ''}${until === undefined ? '' : `<p class="muted">Answers are taken until <time datetime="${escapeHtml(until)}">${escapeHtml(until)}</time>.</p>\n`}<form method="post">
${unplaced ? `<p class="fault" role="alert">${escapeHtml(refused.message)}</p>\n` : ''}${inputs.join('\n')}
${decision ? decision.choices.map((choice) => buttonOf(decision.name, choice)).join('\n') : buttons(schema)}
</form>
<p class="muted">${call ? `You decide as ${escapeHtml(call.by)}.` : 'The answer is given once, for the caller to whom the task belongs.'}</p>`,
  );
}

const buttons = (schema: Question['schema']): string =>
  `<button name="action" value="accept">Answer</button>${schema ? '\n<button name="action" value="decline" formnovalidate>Decline</button>' : ''}`;

const buttonOf = (name: string, { value, label }: Field['choices'][number]): string =>
  `<button name="${name}" value="${escapeHtml(written(value))}">${escapeHtml(label.charAt(0).toUpperCase() + label.slice(1))}</button>`;

const callOf = (agent: string, { owner, message }: ShownCall): string =>
  `<p class="muted">The call of ${escapeHtml(agent)} by ${escapeHtml(owner)}:</p>
<p class="text" dir="auto">${escapeHtml(message)}</p>
`;

/** The inputs' types, where they are no text. */
function inputOf(field: Field, form: URLSearchParams | undefined, faults: readonly string[]): string {
  const { name, label, help, required, kind, choices, preset } = field;
  const values = form?.getAll(name) ?? preset;
  const [value = ''] = values;
  const notes = [
    ...faults.map((fault) => `<span class="fault" role="alert">${escapeHtml(fault)}</span>`),
    ...(help === undefined ? [] : [`<small dir="auto">${escapeHtml(help)}</small>`]),
  ].join('');
  const title = `<span dir="auto">${escapeHtml(label)}</span>${required ? '' : ' (optional)'}`;
  const options = choices.map((choice) => ({ text: written(choice.value), label: escapeHtml(choice.label) }));
  if (kind === 'many') {
    const boxes = options.map(
      ({ text, label }) =>
        `<label><input type="checkbox" name="${name}" value="${escapeHtml(text)}"${values.includes(text) ? ' checked' : ''}> ${label}</label>`,
    );
    return `<fieldset><legend>${title}</legend>${notes}${boxes.join('')}</fieldset>`;
  }
  const attributes = `id="${name}" name="${name}"${required ? ' required' : ''}`;
  const listed = options.map(
    ({ text, label }) => `<option value="${escapeHtml(text)}"${text === value ? ' selected' : ''}>${label}</option>`,
  );
  const input = {
    one: `<select ${attributes}><option value=""></option>${listed.join('')}</select>`,
    // HTML ignores the first line break after the tag.
    lines: `<textarea ${attributes} rows="4">\n${escapeHtml(value)}</textarea>`,
    number: `<input ${attributes} inputmode="decimal" value="${escapeHtml(value)}">`,
    text: `<input ${attributes} value="${escapeHtml(value)}">`,
  }[kind];
  return `<div class="field"><label for="${name}">${title}</label>${notes}${input}</div>`;
}

const document = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
${body}
</html>
`;
