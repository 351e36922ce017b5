// The default theme without its fonts: the system's are there already, and the console uses them, too.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
