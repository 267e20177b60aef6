import {
  type AgentCard,
  allDialects,
  choices,
  discover,
  type FoundCard,
  readPublicKeys,
  shownSignatures,
  UntrustedCard,
  verifyCard,
} from '../../client/index.ts';
import { expectedKeyPlace, readKeyPlace } from '../../config/addresses.ts';
import { oneLine } from '../../core/model/text.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { connectOptions, type TargetOptions } from '../target.ts';

export interface CardCommandOptions extends TargetOptions {
  /** URL or path of the keys that must have signed the card. */
  readonly jwks?: string;
}

/**
 * `a2a-gateway card`: shows an agent's card in any dialect, and which of its interfaces can be called. With `--jwks` it
 * fails after the output if none of the keys has signed the card.
 */
export async function card(target: string, options: CardCommandOptions, output: Output): Promise<void> {
  const place = options.jwks === undefined ? undefined : keyPlace(options.jwks);
  const found = await discover(target, await connectOptions(options, output));
  const { says, failure } = await judge(found, place);
  for (const { path, reason } of found.problems) output.note(`note: ${line(`${path} ${reason}`.trim())}`);
  if (options.json === true) output.json(found.document);
  else output.print(describe(found, says));
  if (failure) throw failure;
}

type KeyPlace = Parameters<typeof readPublicKeys>[0];

function keyPlace(text: string): KeyPlace {
  const place = readKeyPlace(text);
  if (!place) throw new UsageError(`--jwks: expected ${expectedKeyPlace}`);
  return place;
}

/** Verifies the signatures of a card, and names the signer. */
async function judge(
  { document, url }: FoundCard,
  place: KeyPlace | undefined,
): Promise<{ readonly says: string; readonly failure?: UntrustedCard }> {
  const names = shownSignatures(document).map(({ kid, alg }) => nameOf(kid, alg));
  const shown = names.length === 0 ? 'no' : `by ${[...new Set(names)].join(', ')}`;
  if (!place) return { says: names.length === 0 ? shown : `${shown}; not verified (use --jwks)` };
  const keys = await readPublicKeys(place, new AbortController().signal);
  try {
    const { kid, alg } = await verifyCard(document, keys, allDialects(), `the agent card at ${url}`);
    return { says: `by ${nameOf(kid, alg)}, verified` };
  } catch (thrown) {
    if (thrown instanceof UntrustedCard)
      return { says: `${shown}${names.length === 0 ? '' : '; not verified'}`, failure: thrown };
    throw thrown;
  }
}

/** Quotes the name of a signer, because a card may contain any text. */
const nameOf = (kid = '?', alg = '?'): string => `${JSON.stringify(kid)} (${alg.slice(0, 16).replace(/[^\w-]/g, '?')})`;

function describe(found: FoundCard, signed: string): string {
  const { card } = found;
  const lines = [line(`${card.name} ${card.version}`), line(card.description)];
  if (card.provider !== undefined) lines.push(line(`by ${card.provider.organization} ${card.provider.url}`));
  lines.push('', `card        ${found.url} (${found.dialect.name})`, `signed      ${signed}`, '', 'interfaces');
  const usable = choices(found);
  for (const listed of card.supportedInterfaces) {
    const known = usable.filter((choice) => choice.interface === listed);
    const dialect = known[0]?.dialect.name ?? 'not supported';
    const ways = known.map(({ binding }) => `--via ${binding.name}`).join(', ');
    const tenant = listed.tenant === undefined || listed.tenant === '' ? '' : ` tenant ${line(listed.tenant)}`;
    lines.push(
      `  ${line(`${listed.protocolBinding} ${listed.protocolVersion}`).padEnd(15)} ${line(listed.url)}${tenant}  [${dialect}${ways && `; ${ways}`}]`,
    );
  }
  lines.push('', `features    ${line(abilities(card))}`);
  lines.push(`auth        ${line(credentials(card))}`);
  lines.push(`in, out     ${line(`${card.defaultInputModes.join(', ')} → ${card.defaultOutputModes.join(', ')}`)}`);
  if (card.skills.length > 0) {
    lines.push('', 'skills');
    for (const { id, name, description } of card.skills) lines.push(`  ${line(`${id}: ${name}. ${description}`)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Puts a text from a card on one line, so that its line breaks do not look like other fields. */
const line = (text: string): string => oneLine(text, Number.POSITIVE_INFINITY);

function abilities({ capabilities }: AgentCard): string {
  const words = Object.entries({
    streaming: capabilities.streaming,
    'push notifications': capabilities.pushNotifications,
    'extended card': capabilities.extendedAgentCard,
  }).flatMap(([word, can]) => (can === true ? [word] : []));
  const extensions = (capabilities.extensions ?? []).map(
    ({ uri, required }) => `${uri}${required === true ? ' (required)' : ''}`,
  );
  return [...words, ...extensions].join(', ') || 'none';
}

function credentials({ securityRequirements = [] }: AgentCard): string {
  const ways = securityRequirements.map(({ schemes = {} }) => Object.keys(schemes).join(' and ')).filter(Boolean);
  return ways.join(', or ') || 'none';
}
