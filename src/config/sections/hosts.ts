/**
 * A host as it is compared: in lower case, international names in their ASCII form, the port only where one is written.
 * Undefined when the text is none.
 */
export function readHost(text: string): string | undefined {
  const [, name, port] = /^(\[[^\]]+\]|[^:/?#@\\\s]+?)\.?(?::(\d{1,5}))?$/.exec(text) ?? [];
  const hostname = name === undefined ? undefined : URL.parse(`http://${name}/`)?.hostname;
  if (hostname === undefined || !/^(?:\[[\d.:a-f]+\]|[\w.-]+)$/.test(hostname)) return undefined;
  if (port === undefined) return hostname;
  return Number(port) > 0 && Number(port) < 65_536 ? `${hostname}:${Number(port)}` : undefined;
}
