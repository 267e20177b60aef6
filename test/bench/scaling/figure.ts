/** A line of a chart: what it is called, and its points. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
}

const width = 460;
const height = 330;
const inner = { left: 62, right: 14, top: 40, bottom: 96 } as const;
/** The marks distinguish the lines without colours, too. */
const colors = ['#0b6e99', '#b4450b', '#3d7a2c', '#7a3d8f', '#8a6d00', '#555555'];

const powers = (from: number, to: number): number[] => {
  const exponents = { first: Math.floor(Math.log10(from)), last: Math.ceil(Math.log10(to)) };
  return Array.from({ length: exponents.last - exponents.first + 1 }, (_, i) => 10 ** (exponents.first + i));
};

const short = (value: number): string => {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(1)));
};

/** Charts beside each other as one SVG, both axes logarithmic: a straight line at 45 degrees is growth in proportion. */
export function drawCharts(charts: readonly Chart[]): string {
  const drawn = charts.map((chart, i) => `<g transform="translate(${i * width},0)">${drawChart(chart)}</g>`);
  const style = 'font-family="system-ui, sans-serif" font-size="11" fill="#222"';
  const size = `width="${width * charts.length}" height="${height}"`;
  const background = '<rect width="100%" height="100%" fill="#fff"/>';
  const title = `<title>${charts.map((chart) => chart.title).join('; ')}</title>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>${title}${background}\n${drawn.join('\n')}\n</svg>\n`;
}

function drawChart({ title, x, y, lines }: Chart): string {
  const all = lines.flatMap(({ points }) => points);
  const xs = powers(Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at)));
  const ys = powers(Math.min(...all.map(([, at]) => at)), Math.max(...all.map(([, at]) => at)));
  const place = (value: number, ticks: readonly number[], from: number, to: number): number => {
    const [first = 1, last = 10] = [ticks[0], ticks.at(-1)];
    const share = Math.log10(value / first) / (Math.log10(last / first) || 1);
    return Math.round((from + share * (to - from)) * 10) / 10;
  };
  const right = width - inner.right;
  const bottom = height - inner.bottom;
  const atX = (value: number): number => place(value, xs, inner.left, right);
  const atY = (value: number): number => place(value, ys, bottom, inner.top);
  const parts = [
    `<text x="${inner.left}" y="18" font-size="13" font-weight="600">${title}</text>`,
    `<text x="${inner.left}" y="33" fill="#666">${y}</text>`,
    `<text x="${right}" y="${bottom + 30}" text-anchor="end" fill="#666">${x}</text>`,
  ];
  for (const tick of ys) {
    parts.push(`<line x1="${inner.left}" x2="${right}" y1="${atY(tick)}" y2="${atY(tick)}" stroke="#ddd"/>`);
    parts.push(`<text x="${inner.left - 6}" y="${atY(tick) + 4}" text-anchor="end">${short(tick)}</text>`);
  }
  for (const tick of xs) {
    parts.push(`<text x="${atX(tick)}" y="${bottom + 16}" text-anchor="middle">${short(tick)}</text>`);
  }
  for (const [i, { name, points }] of lines.entries()) {
    const color = colors[i % colors.length];
    const path = points.map(([px, py]) => `${atX(px)},${atY(py)}`).join(' ');
    const dashes = i % 2 === 1 ? ' stroke-dasharray="5 3"' : '';
    parts.push(`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`);
    for (const [px, py] of points) parts.push(`<circle cx="${atX(px)}" cy="${atY(py)}" r="3" fill="${color}"/>`);
    const [left, top] = [inner.left + (i % 2) * 195, bottom + 46 + Math.floor(i / 2) * 16];
    parts.push(
      `<line x1="${left}" x2="${left + 22}" y1="${top - 4}" y2="${top - 4}" stroke="${color}" stroke-width="2"${dashes}/>`,
    );
    parts.push(`<text x="${left + 28}" y="${top}">${name}</text>`);
  }
  return parts.join('\n');
}
