"""Names of packages and classes that are Java's own or a third party's."""

from __future__ import annotations

_STANDARD = """
java. jdk. sun. com.sun. netscape.javascript. org.ietf.jgss. org.w3c.dom. org.xml.sax. javax.accessibility.
javax.annotation.processing. javax.crypto. javax.imageio. javax.lang.model. javax.management. javax.naming.
javax.net. javax.print. javax.rmi. javax.script. javax.security. javax.smartcardio. javax.sound. javax.sql.
javax.swing. javax.tools. javax.transaction.xa. javax.xml.catalog. javax.xml.crypto. javax.xml.datatype.
javax.xml.namespace. javax.xml.parsers. javax.xml.stream. javax.xml.transform. javax.xml.validation.
javax.xml.xpath.
"""
STANDARD = tuple(_STANDARD.split())

# Package roots that many separate projects share: two names say nothing there.
_UMBRELLAS = """
com.github com.google com.netflix io.github org.apache org.apache.commons org.codehaus org.eclipse org.jboss
org.springframework org.sonatype com.alibaba com.fasterxml org.ow2 net.sf net.sourceforge org.wso2
com.microsoft com.amazonaws com.ibm com.sap com.facebook com.linkedin com.twitter com.yahoo com.vmware
org.sourceforge com.googlecode
"""
UMBRELLAS = frozenset(_UMBRELLAS.split())

# java.lang, which every file imports.
_LANG = """
AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException
AssertionError AutoCloseable Boolean BootstrapMethodError Byte CharSequence Character Class
ClassCastException ClassCircularityError ClassFormatError ClassLoader ClassNotFoundException ClassValue
CloneNotSupportedException Cloneable Comparable Compiler Deprecated Double Enum
EnumConstantNotPresentException Error Exception ExceptionInInitializerError Float FunctionalInterface IO
IllegalAccessError IllegalAccessException IllegalArgumentException IllegalCallerException
IllegalMonitorStateException IllegalStateException IllegalThreadStateException IncompatibleClassChangeError
IndexOutOfBoundsException InheritableThreadLocal InstantiationError InstantiationException Integer
InternalError InterruptedException Iterable LayerInstantiationException LinkageError Long MatchException
Math Module ModuleLayer NegativeArraySizeException NoClassDefFoundError NoSuchFieldError
NoSuchFieldException NoSuchMethodError NoSuchMethodException NullPointerException Number
NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder ProcessHandle Readable
Record ReflectiveOperationException Runnable Runtime RuntimeException RuntimePermission SafeVarargs
ScopedValue SecurityException SecurityManager Short StackOverflowError StackTraceElement StackWalker
StableValue StrictMath String StringBuffer StringBuilder StringIndexOutOfBoundsException StringTemplate
SuppressWarnings System Thread ThreadDeath ThreadGroup ThreadLocal Throwable TypeNotPresentException
UnknownError UnsatisfiedLinkError UnsupportedClassVersionError UnsupportedOperationException VerifyError
VirtualMachineError Void WrongThreadException
"""
LANG = frozenset(_LANG.split())
