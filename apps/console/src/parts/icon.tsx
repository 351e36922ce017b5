import { icons, type IconName } from './icons.ts';

interface IconProps {
  readonly of: IconName;
  /** Pixels. */
  readonly size?: number;
}

/** A sign beside a text, which says the same: it is hidden from readers of the screen. */
export function Icon({ of: name, size = 16 }: IconProps) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={icons[name]} />
    </svg>
  );
}
