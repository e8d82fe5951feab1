import type { Icon } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import classes from './page-links.module.css';

/** A page of the navigation. */
export interface PageLink {
  to: NonNullable<LinkProps['to']>;
  name: string;
  Icon: Icon;
}

interface PageLinksProps {
  /** The id of their heading. */
  labelledBy?: string;
  links: readonly PageLink[];
  onChosen: () => void;
}

/** Links to pages. They are plain elements, because the first page waits for all of them. */
export function PageLinks({ links, onChosen, labelledBy }: PageLinksProps) {
  return (
    <ul className={`plain-list ${classes.links}`} aria-labelledby={labelledBy}>
      {links.map(({ to, name, Icon }) => (
        <li key={to}>
          <Link to={to} className={classes.link} onClick={onChosen}>
            <Icon size={18} aria-hidden />
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
