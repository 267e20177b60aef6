/** The port that an http or https URL means. */
export const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));
