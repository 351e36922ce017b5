import '@mantine/notifications/styles.layer.css';
import { Notifications, notifications } from '@mantine/notifications';

/** A sentence that comes up in a corner and goes again. */
export interface Notice {
  readonly title?: string | null;
  readonly message: string;
  readonly color?: 'green' | 'yellow' | 'red';
  /** False: it stays until it is closed. */
  readonly autoClose?: boolean;
}

/** Adds a notice to the shown ones. */
export const show = (notice: Notice): void => void notifications.show({ ...notice });

/** All notices, newest first. */
export default function NoticeList() {
  return <Notifications position="top-right" />;
}
