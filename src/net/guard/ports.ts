/**
 * Ports of other services, which may interpret a request as commands: the bad ports of the Fetch standard, and further
 * ones.
 */
const others: ReadonlySet<number> = new Set([
  // Fetch standard, section 2.9 (port blocking).
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // SMB, databases, caches and brokers.
  445, 1433, 1521, 1883, 3306, 5432, 5672, 6379, 8883, 9042, 9092, 11211, 27017, 27018, 27019, 61613, 61616,
  // Remote desktops, WinRM, Docker, etcd, the kubelet.
  3389, 5900, 5901, 5985, 5986, 2375, 2376, 2379, 2380, 10250, 10255,
]);

/** Whether a port belongs to a service that a request could harm. */
export const isOtherService = (port: number): boolean => port === 0 || others.has(port);

export const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));
