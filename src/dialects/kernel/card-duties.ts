import {
  type AgentCard,
  type AgentExtension,
  type AgentSkill,
  api,
  type SecurityRequirement,
  type SecurityScheme,
} from '../../core/model/a2a.ts';
import { unreadExtension } from '../../core/model/agent.ts';
import type { Deviation } from '../../wire/salvage-shape.ts';
import { violationsOf } from '../../wire/validate.ts';

/**
 * Requirements in a card that cannot be read are never treated as absent. Security schemes and required extensions that would be
 * lost are kept under a name that marks them as unread.
 */

/** Name of a security scheme that replaces one that cannot be read. */
export const unreadScheme = 'unread';

const lostScheme = (): SecurityScheme => ({
  httpAuthSecurityScheme: {
    description: "The agent's card names a way to authenticate that cannot be read",
    scheme: 'unknown',
  },
});

/** Members about authentication in the cards of all dialects: schemes, and which of them are required. */
const schemeMembers: ReadonlySet<PropertyKey | undefined> = new Set(['securitySchemes']);
const requirementMembers: ReadonlySet<PropertyKey | undefined> = new Set([
  ...['security', 'securityRequirements', 'authentication', 'authSchemes'],
]);

/** Levels below a member of requirements at which a loss affects a requirement rather than a detail. */
const requirementDepth = 4;

/**
 * Returns the card with placeholders for the requirements that were lost.
 *
 * @param deviations found while the card was read
 * @param add receives the deviations found here
 */
export function withDuties(
  card: AgentCard,
  deviations: readonly Deviation[],
  add: (found: Deviation) => void,
): AgentCard {
  const { card: valid, found } = withoutInvalid(card);
  for (const one of found) add(one);
  const lost = [...deviations, ...found].filter((one) => one.lost);
  const isAbout = ({ steps: [first] }: Deviation): boolean => schemeMembers.has(first) || requirementMembers.has(first);
  const secured = withSecurity(withSkills(valid, lost), lost);
  return withExtensions(deviations.some(isAbout) ? declared(secured) : secured, add);
}

/**
 * Returns a card without the schemes that A2A 1.0 does not accept: older versions allow an empty name of a header, for
 * example.
 */
function withoutInvalid(card: AgentCard): { readonly card: AgentCard; readonly found: readonly Deviation[] } {
  const found: Deviation[] = [];
  const schemes = Object.entries(card.securitySchemes ?? {}).filter(([name, scheme]) => {
    const [violation] = violationsOf(api, `${api.package}.SecurityScheme`, scheme);
    if (violation === undefined) return true;
    const reason = `cannot be used: ${violation.field.replace(/^.*\./, '')} ${violation.description}`;
    found.push({ steps: ['securitySchemes', name], reason, lost: true });
    return false;
  });
  if (found.length === 0) return { card, found };
  return { card: { ...card, securitySchemes: Object.fromEntries(schemes) }, found };
}

/** Returns a card that declares each scheme that it requires. */
function declared(card: AgentCard): AgentCard {
  const { securitySchemes = {}, securityRequirements = [], skills } = card;
  const required = [...securityRequirements, ...skills.flatMap((skill) => skill.securityRequirements ?? [])].flatMap(
    namesIn,
  );
  const missing = required.filter((name) => !Object.hasOwn(securitySchemes, name));
  if (missing.length === 0) return card;
  return {
    ...card,
    securitySchemes: { ...securitySchemes, ...Object.fromEntries(missing.map((name) => [name, lostScheme()])) },
  };
}

function withSecurity(card: AgentCard, lost: readonly Deviation[]): AgentCard {
  const schemes = lost.filter(({ steps }) => schemeMembers.has(steps[0]) && steps.length <= 2);
  const requirements = lost.filter(({ steps }) => requirementMembers.has(steps[0]) && steps.length <= requirementDepth);
  const ofSkills = card.skills.some(({ securityRequirements = [] }) => securityRequirements.some(isUnread));
  if (schemes.length + requirements.length === 0 && !ofSkills) return card;
  const known = new Map(Object.entries(card.securitySchemes ?? {}));
  for (const { steps } of schemes) {
    const [, name = unreadScheme] = steps;
    if (!known.has(String(name))) known.set(String(name), lostScheme());
  }
  let required = (card.securityRequirements ?? []).filter(
    (one) => requirements.length === 0 || namesIn(one).length > 0,
  );
  if (requirements.length > 0 && required.length === 0 && known.size === 0) known.set(unreadScheme, lostScheme());
  if (!required.some((one) => namesIn(one).length > 0) && known.size > 0) {
    required = [...known.keys()].map((name) => ({ schemes: { [name]: {} } }));
  }
  const securitySchemes = Object.fromEntries(known);
  return declared({ ...card, securitySchemes, securityRequirements: required });
}

const namesIn = ({ schemes = {} }: SecurityRequirement): string[] => Object.keys(schemes);
const isUnread = (requirement: SecurityRequirement): boolean => namesIn(requirement).includes(unreadScheme);

/** Returns skills whose own requirements were lost. */
function withSkills(card: AgentCard, lost: readonly Deviation[]): AgentCard {
  const leftOut = lost.filter(({ steps }) => steps[0] === 'skills' && steps.length === 2).map(({ steps }) => steps[1]);
  const touched = new Set<number>();
  for (const { steps } of lost) {
    const [member, at, name] = steps;
    const isOwn = member === 'skills' && requirementMembers.has(name) && steps.length <= requirementDepth + 2;
    if (isOwn && typeof at === 'number') touched.add(at - leftOut.filter((one) => Number(one) < at).length);
  }
  if (touched.size === 0) return card;
  const skills = card.skills.map((skill, at): AgentSkill => {
    const required = (skill.securityRequirements ?? []).filter((one) => namesIn(one).length > 0);
    if (!touched.has(at) || required.length > 0) return skill;
    return { ...skill, securityRequirements: [{ schemes: { [unreadScheme]: {} } }] };
  });
  return { ...card, skills };
}

/** Returns placeholders for required extensions whose URI was lost. Others without a URI are left out. */
function withExtensions(card: AgentCard, add: (found: Deviation) => void): AgentCard {
  const { extensions = [] } = card.capabilities;
  if (extensions.every(({ uri }) => uri)) return card;
  const readable = extensions.flatMap((extension, at): AgentExtension[] => {
    if (extension.uri) return [extension];
    const reason = extension.required
      ? 'cannot be read, and the extension is required'
      : 'is missing: the extension is left out';
    add({ steps: ['capabilities', 'extensions', at, 'uri'], reason, lost: true });
    return extension.required ? [{ ...extension, uri: unreadExtension }] : [];
  });
  const { extensions: _, ...capabilities } = card.capabilities;
  return { ...card, capabilities: { ...capabilities, ...(readable.length > 0 && { extensions: readable }) } };
}
