import { Notifications } from '@mantine/notifications';

/** Where `notifications.show` shows what it is given, and what it was given before. */
export const Toasts = () => <Notifications position="bottom-right" />;
