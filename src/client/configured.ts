import type { AgentInterface } from '../core/model/a2a.ts';
import { trimEnd } from '../core/model/text.ts';
import type { DialectName } from '../dialects/kernel/dialect.ts';
import { type BindingName, bindings } from './bindings.ts';
import { addressOf, choices, explicitChoice, type InterfaceChoice, type ReadCard } from './choose.ts';
import { allDialects } from './dialects.ts';
import { baseOf } from './recognize-card.ts';

/** Configured way of calling an agent. */
export interface ConfiguredWay {
  /** The agent's base URL or the URL of its card. */
  readonly target: URL;
  readonly as: DialectName;
  readonly via: BindingName;
}

/**
 * Returns the ways to call an agent whose dialect and binding are configured, in the order in which to try them:
 * addresses in the card below the configured URL, because they are more precise; the configured URL, even if the card
 * does not list it; other addresses in the card.
 *
 * @param found the card and its URL; undefined if there is no card or it cannot be read
 * @throws A2AError `unsupportedOperation` if the dialect lacks the binding
 */
export function configuredWays(
  found: (ReadCard & { readonly url: string }) | undefined,
  { target, as, via }: ConfiguredWay,
): InterfaceChoice[] {
  const own = explicitChoice(as, via, baseOf(target), allDialects());
  if (!found) return [own];
  const precise: InterfaceChoice[] = [];
  const others: InterfaceChoice[] = [];
  for (const choice of listedFor(found, own)) {
    const url = urlOf(choice, found.url);
    if (url === undefined || url.href === own.interface.url) continue;
    (isBelow(url, new URL(own.interface.url), choice) ? precise : others).push(choice);
  }
  const same = listedFor(found, own).find((choice) => urlOf(choice, found.url)?.href === own.interface.url);
  return [...precise, same ?? own, ...others];
}

/**
 * Returns the card's interfaces with a binding, to be called in one dialect regardless of their version. Interfaces
 * with a version of that dialect come first.
 */
function listedFor(found: ReadCard, { binding, dialect }: InterfaceChoice): InterfaceChoice[] {
  const known = choices(found, [dialect]).filter((one) => one.binding === binding && one.dialect.name === dialect.name);
  const { protocolVersion } = dialect.card;
  const rest = [...found.card.supportedInterfaces, ...(found.further ?? [])].filter(
    (listed) =>
      listed.protocolBinding.toUpperCase() === binding.protocolBinding &&
      !known.some((one) => one.interface === listed),
  );
  const isGuess = (listed: AgentInterface): boolean => !found.card.supportedInterfaces.includes(listed);
  return [
    ...known,
    ...rest.map((listed): InterfaceChoice => {
      const own = { ...listed, protocolVersion };
      return { binding, dialect, interface: own, ...(isGuess(listed) && { isGuess: true }) };
    }),
  ];
}

function urlOf(choice: InterfaceChoice, cardUrl: string): URL | undefined {
  try {
    return addressOf(choice, cardUrl);
  } catch {
    return undefined;
  }
}

/**
 * Whether an address is at a URL or below it. For gRPC only the hosts are compared: its addresses have no path, and
 * often another port.
 */
function isBelow(url: URL, own: URL, { binding }: InterfaceChoice): boolean {
  if (bindings.some(({ name, wireFormat }) => name === binding.name && wireFormat === 'grpc')) {
    return url.hostname === own.hostname;
  }
  return url.origin === own.origin && `${trimEnd(url.pathname, '/')}/`.startsWith(`${trimEnd(own.pathname, '/')}/`);
}
