/** What the build puts in the place of Mantine's own: see vite.config.ts. */
export { TableBox as TableScrollContainer } from './scroll-box.tsx';
