import type { ClientCertificate, Principal } from '../core/model/principal.ts';
import { principalIds } from './callers.ts';
import { principalOf } from './grants.ts';
import type { CertificateSettings, MtlsSettings } from './settings.ts';

/** Says whose a certificate is, which the listener's authorities have signed; undefined: nobody's that is let in. */
export function certificateHolders({
  clients,
  others,
}: MtlsSettings): (shown: ClientCertificate) => Principal | undefined {
  const known = clients.map((client) => ({
    client,
    principal: principalOf(principalIds.certificate(client.name), client),
  }));
  return (shown) => {
    const found = known.find(({ client }) => fits(client, shown));
    if (found) return found.principal;
    // A subject is unique among an authority's certificates, also across their renewals.
    return others === 'accept'
      ? principalOf(principalIds.subject(shown.subject), { agents: undefined, scopes: undefined })
      : undefined;
  };
}

function fits({ commonName, altName, fingerprint }: CertificateSettings, shown: ClientCertificate): boolean {
  if (commonName === undefined && altName === undefined && fingerprint === undefined) return false;
  return (
    (commonName === undefined || shown.commonName === commonName) &&
    (altName === undefined || shown.altNames.includes(altName)) &&
    (fingerprint === undefined || shown.fingerprint === fingerprint)
  );
}
