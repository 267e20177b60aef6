import { type AgentCard, choices, discover, type FoundCard } from '../../client/index.ts';
import type { Output } from '../output.ts';
import { connectOptions, type TargetOptions } from '../target.ts';

/** `a2a-gateway card`: shows an agent's card, whatever its generation, and what of it can be called from here. */
export async function card(target: string, options: TargetOptions, output: Output): Promise<void> {
  const found = await discover(target, connectOptions(options));
  output.print(options.json === true ? `${JSON.stringify(found.document, undefined, 2)}\n` : describe(found));
}

function describe(found: FoundCard): string {
  const { card } = found;
  const lines = [`${card.name} ${card.version}`.trim(), card.description];
  if (card.provider !== undefined) lines.push(`by ${card.provider.organization} ${card.provider.url}`.trim());
  lines.push('', `card        ${found.url} (${found.dialect.name})`, '', 'speaks');
  const usable = choices(found);
  for (const face of card.supportedInterfaces) {
    const known = usable.filter((choice) => choice.interface === face);
    const dialect = known[0]?.dialect.name ?? 'not spoken here';
    const ways = known.map(({ binding }) => `--via ${binding.name}`).join(', ');
    const tenant = face.tenant === undefined || face.tenant === '' ? '' : ` tenant ${face.tenant}`;
    lines.push(
      `  ${`${face.protocolBinding} ${face.protocolVersion}`.padEnd(15)} ${face.url}${tenant}  [${dialect}${ways && `; ${ways}`}]`,
    );
  }
  lines.push('', `can         ${abilities(card)}`);
  lines.push(`wants       ${credentials(card)}`);
  lines.push(`in, out     ${card.defaultInputModes.join(', ')} → ${card.defaultOutputModes.join(', ')}`);
  if (card.skills.length > 0) {
    lines.push('', 'skills');
    for (const { id, name, description } of card.skills) lines.push(`  ${id}: ${name}. ${description}`);
  }
  return `${lines.join('\n')}\n`;
}

function abilities({ capabilities }: AgentCard): string {
  const words = Object.entries({
    streaming: capabilities.streaming,
    'push notifications': capabilities.pushNotifications,
    'extended card': capabilities.extendedAgentCard,
  }).flatMap(([word, can]) => (can === true ? [word] : []));
  const extensions = (capabilities.extensions ?? []).map(
    ({ uri, required }) => `${uri}${required === true ? ' (required)' : ''}`,
  );
  return [...words, ...extensions].join(', ') || 'nothing beyond the basics';
}

function credentials({ securityRequirements = [] }: AgentCard): string {
  const ways = securityRequirements.map(({ schemes = {} }) => Object.keys(schemes).join(' and ')).filter(Boolean);
  return ways.join(', or ') || 'no credentials';
}
