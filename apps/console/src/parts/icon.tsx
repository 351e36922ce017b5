import type { Icon as Shape } from '@tabler/icons-react';

interface IconProps {
  /** One of `@tabler/icons-react`; only imported icons are in the bundle. */
  readonly of: Shape;
  /** Pixels. */
  readonly size?: number;
}

/** A sign beside a text, which says the same: it is hidden from readers of the screen. */
export function Icon({ of: Drawn, size = 16 }: IconProps) {
  return <Drawn className="icon" size={size} stroke={1.75} aria-hidden />;
}
