dotnet build
status 1
not recorded: there is no .NET here
