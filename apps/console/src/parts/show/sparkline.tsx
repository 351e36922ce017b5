interface SparklineProps {
  /** How many there were in each hour or other time, the present one last. */
  readonly counts: readonly number[];
  /** How many of these failed. */
  readonly failed: readonly number[];
  /** What it shows, in words. */
  readonly label: string;
  /** Pixels of one bar, with the gap after it. */
  readonly step?: number;
  readonly height?: number;
}

/** Small bars, one for each time: what failed stands at the bottom, in the colour of failures. */
export function Sparkline({ counts, failed, label, step = 4, height = 24 }: SparklineProps) {
  const most = Math.max(1, ...counts);
  const width = counts.length * step;
  // What there was is at least seen, beside what there was most.
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * height));
  return (
    // An inline drawing is no `img`, which needs an address.
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <svg display="block" role="img" aria-label={label} width={width} height={height}>
      <title>{label}</title>
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--mantine-color-default-border)" />
      {counts.map((count, nth) => {
        const [all, wrong] = [heightOf(count), heightOf(failed[nth] ?? 0)];
        const at = { x: nth * step, width: step - 1 };
        return (
          // The times are in their order, and have no other identity.
          // oxlint-disable-next-line react/no-array-index-key
          <g key={nth}>
            {all > wrong && <rect {...at} y={height - all} height={all - wrong} fill="var(--mantine-color-teal-6)" />}
            {wrong > 0 && <rect {...at} y={height - wrong} height={wrong} fill="var(--mantine-color-red-6)" />}
          </g>
        );
      })}
    </svg>
  );
}
